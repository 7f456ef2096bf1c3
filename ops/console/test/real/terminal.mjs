// A person works in a session's terminal on a REAL Berth: node test/real/terminal.mjs ORIGIN LINK_TOKEN
// Asks for a restart of the server as test/real.mjs does: the shell lives on in its kernel.
import {
  beginLaunch,
  button,
  field,
  openBrowser,
  pressLaunch,
  restartServer,
  runSteps,
  setPassword,
} from './rig.mjs'

const [server, token] = process.argv.slice(2)
const browser = await openBrowser(server)
const page = await browser.newPage()
let opened = null

const rowsOf = (one) => one.locator('.xterm-rows')
const shown = (one, text) => rowsOf(one).getByText(text).first().waitFor()
const attached = (one) => one.getByText('connected', { exact: true }).waitFor()

async function type(one, text) {
  await one.locator('.xterm-helper-textarea').focus()
  await one.keyboard.type(text)
  await one.keyboard.press('Enter')
}

async function openConsole() {
  const [next] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Console of work' }).click(),
  ])
  next.setDefaultTimeout(60_000)
  await attached(next)
  return next
}

await runSteps(
  {
    async 'the Console of a running session opens in a window of its own, and takes commands'() {
      await setPassword(page, browser.origin, token)
      await beginLaunch(page)
      await field(page, 'Name').fill('work')
      await field(page, 'CPU').fill('0.5')
      await field(page, 'RAM').fill('256m')
      await pressLaunch(page)
      await page.getByRole('row', { name: /work.*RUNNING/ }).waitFor()
      opened = await openConsole()
      await type(opened, 'cd / && ls -d usr && echo sum-$((40 + 2))-가나다')
      await shown(opened, 'sum-42-가나다')
      await shown(opened, /^usr/)
    },
    async 'the shell has the size of its window'() {
      await opened.setViewportSize({ width: 700, height: 400 })
      await opened.waitForFunction(() => document.querySelectorAll('.xterm-rows > div').length < 30)
      const rows = await rowsOf(opened).locator('> div').count()
      await type(opened, 'echo rows-$(stty size | cut -d" " -f1)-')
      await shown(opened, `rows-${rows}-`)
    },
    async 'a window that is loaded again shows what was printed, and is in the same shell'() {
      await type(opened, 'KEPT=kept; echo before-the-reload')
      await shown(opened, /^before-the-reload/)
      await opened.reload()
      await attached(opened)
      await shown(opened, /^before-the-reload/)
      await type(opened, 'echo $KEPT-still')
      await shown(opened, 'kept-still')
    },
    async 'two windows are on one shell'() {
      const second = await openConsole()
      await type(second, 'echo $KEPT-in-the-second')
      await shown(opened, 'kept-in-the-second')
      await second.close()
    },
    async 'a flood ends with the prompt, and the window answers'() {
      await type(opened, 'head -c 20000000 /dev/zero | tr "\\0" "x" | fold -w 79; echo flood-$((1 + 1))-over')
      await shown(opened, 'flood-2-over')
    },
    async 'the server is killed and comes back: the shell is the same'() {
      await restartServer(browser)
      await opened.getByText(/^Reconnected/).waitFor()
      await type(opened, 'echo $KEPT-after-the-restart')
      await shown(opened, 'kept-after-the-restart')
    },
    async 'a shell that ends says how, and another is made'() {
      await type(opened, 'exit 3')
      await opened.getByText('The shell ended with exit code 3.').waitFor()
      await button(opened, 'New shell').click()
      await attached(opened)
    },
    async 'the end of the session ends the terminal, and says so'() {
      await page.getByRole('button', { name: 'Terminate work' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Terminate', exact: true }).click()
      await opened.getByText('The session has ended.').waitFor()
      browser.faults.length = 0
    },
  },
  browser,
)
