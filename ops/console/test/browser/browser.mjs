// What walks and pictures share: a page whose faults are kept, a sign-in, axe, a screenshot.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const folder = process.argv[2] ?? `${root}build/release/console`
export const pictures = `${root}build/console_pages`
export const faults = []

/** With BERTH_LOOKS=all (ops/check --full) pictures show both widths and both themes, else one of each. */
const isWhole = process.env.BERTH_LOOKS === 'all'
export const WIDTHS = isWhole ? [1280, 360] : [1280]
export const THEMES = isWhole ? ['light', 'dark'] : ['light']
export const looks = (all, few) => (isWhole ? all : few)

export function expect(holds, what) {
  if (!holds) faults.push(what)
}

/** Awaits what the fake server learns at its own time: whether it came to hold. */
export async function comesTrue(condition) {
  const until = Date.now() + 10_000
  while (!condition() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
  return condition()
}

export async function newPage(browser, { width = 1280, theme = 'light', locale = 'en', phone = false } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 740 : 800 },
    colorScheme: theme,
    locale,
    bypassCSP: false,
    isMobile: phone,
    hasTouch: phone,
  })
  return watchFaults(await context.newPage())
}

/** Problems that a step provokes on purpose are answers of /v1, which Chromium logs as failed resources or WebSockets. */
export function watchFaults(page) {
  page.on('console', (message) => {
    const provoked = /^Failed to load resource|^WebSocket connection to .* failed/.test(message.text())
    if (message.type() === 'error' && !provoked) faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
  return page
}

/** A walk that fails leaves its pages open: a picture of each shows where. */
export async function leavePages(browser, walk) {
  for (const context of browser.contexts()) {
    for (const [index, page] of context.pages().entries())
      await page.screenshot({ path: `${pictures}/failed-${walk}-${index}.png` })
    await context.close()
  }
}

export async function signIn(page, fake, user, password) {
  await page.goto(`${fake.origin}/#/sessions`)
  await page.getByLabel('User').fill(user)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
}

/** Axe is run by the debugger's hand, which the page's policy does not bind. */
export async function checkAxe(page, name, found = faults) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ['violations'] }),
  )
  for (const { id, impact, nodes } of violations) {
    if (impact !== 'serious' && impact !== 'critical') continue
    found.push(
      `axe, ${name}: ${id} (${impact}): ${nodes
        .slice(0, 3)
        .map((node) => `${node.target.join(' ')}: ${node.any[0]?.message ?? ''}`)
        .join('; ')}`,
    )
  }
}

/** Nothing is being loaded or moving any more. */
export async function settle(page) {
  await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy=true]'))
  await page.evaluate(async () => {
    await document.fonts.ready
    const moving = document.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity)
    await Promise.all(moving.map((animation) => animation.finished.catch(() => undefined)))
  })
}

/** What shows less than it holds. Programs' output and JSON may scroll, a fraction of a device is as narrow as it is. */
function cutTexts() {
  const mayBeCut =
    'pre, input, textarea, select, .tile, .unseen, .xterm, .xterm *, .table-narrow .table-head, .table-narrow .table-head *'
  return [...document.body.querySelectorAll('*')]
    .filter((element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1)
    .filter((element) => getComputedStyle(element).overflowX !== 'visible' && !element.closest(mayBeCut))
    .map((element) => `${element.className || element.tagName} '${element.innerText.slice(0, 40)}'`)
}

export async function picture(page, name, width, theme) {
  await settle(page)
  if (width < 500) {
    // A page that was wide before is drawn anew for its new width, a moment later.
    let cut = await page.evaluate(cutTexts)
    for (let frame = 0; cut.length > 0 && frame < 60; frame++) {
      await page.evaluate(() => new Promise(requestAnimationFrame))
      cut = await page.evaluate(cutTexts)
    }
    expect(cut.length === 0, `${name} at ${width} cuts or scrolls sideways: ${cut.slice(0, 3).join('; ')}`)
  }
  expect(
    (await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0,
    `${name} at ${width} is wider than the window`,
  )
  await page.screenshot({ path: `${pictures}/${name}-${width}-${theme}.png` })
  await checkAxe(page, `${name}, ${width}, ${theme}`)
}

export async function tabTo(page, target) {
  for (let count = 0; count < 80; count++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  faults.push(`the keyboard does not reach ${target}`)
}

/** LAUNCH without a folder: it is asked whether that is meant. */
export async function launchWithoutFolder(page) {
  await page.getByRole('button', { name: 'LAUNCH', exact: true }).click()
  await page.getByRole('button', { name: 'LAUNCH WITHOUT STORAGE FOLDER' }).click()
}

/** A session of the administrator's, asked for behind the browser's back. */
export function startSessions(fake, request) {
  const owner = { domain: 'default', project: 'default', user: 'admin' }
  const sessions = fake.cluster.create(request, owner)
  fake.cluster.accept(sessions, 'admin')
  return sessions
}
