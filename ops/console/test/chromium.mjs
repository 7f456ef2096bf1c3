// Chromium for tests. CHROMIUM names another one than the machine's: ops/check --full takes the whole browser, the usual check Debian's headless
// shell of the same source, which takes a third less of the processor.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** `args`: of Chromium. */
export function launchChromium(args = []) {
  const executablePath = process.env.CHROMIUM ?? installed.find((path) => existsSync(path)) ?? installed[0]
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args] })
}
