// A person opens apps of a container's session on a REAL Berth: node test/real/apps.mjs ORIGIN LINK_TOKEN
// There is an image `site` of these apps: `web`, Python's http.server, and `broken`, which prints "no such luck" and exits with 3.
// Apps have origins at the server's own port, so that the browser goes to the server itself.
import { button, field, openBrowser, pressLaunch, runSteps, setPassword } from './rig.mjs'

const [server, token] = process.argv.slice(2)
const browser = await openBrowser(server, { direct: true })
const page = await browser.newPage()
const port = new URL(server).port
let web = ''
/** The agent's first session of an image waits until it is unpacked. */
const IMAGE_MS = 300_000

const dialog = page.getByRole('dialog')
const listing = (one, path) => one.getByRole('heading', { name: `Directory listing for ${path}` }).waitFor()

async function windowOf(open) {
  const [opened] = await Promise.all([page.context().waitForEvent('page'), open()])
  opened.setDefaultTimeout(60_000)
  return opened
}

async function openLauncher() {
  await button(page, 'Apps of work').click()
  await dialog.getByRole('link', { name: 'Web', exact: true }).waitFor()
}

async function openByName(name) {
  await openLauncher()
  return windowOf(() => dialog.getByRole('link', { name, exact: true }).click())
}

await runSteps(
  {
    async 'the first icon lists the apps of the image, and one opens at an origin of its own'() {
      await setPassword(page, browser.origin, token)
      await button(page, 'START').click()
      await page.getByRole('combobox', { name: 'Environment', exact: true }).selectOption('site')
      await field(page, 'Name').fill('work')
      await field(page, 'CPU').fill('0.5')
      await field(page, 'RAM').fill('256m')
      await pressLaunch(page)
      const row = page.getByRole('row', { name: /work.*RUNNING/ })
      await row.waitFor({ timeout: IMAGE_MS })
      const first = row.locator('.row-control > *').first()
      if ((await first.getAttribute('aria-label')) !== 'Apps of work')
        throw new Error('the first icon is another')
      const opened = await openByName('Web')
      await listing(opened, '/')
      web = opened.url()
      if (!/^web--[0-9a-f]{32}\.localhost$/.test(new URL(web).hostname)) throw new Error(`it is at ${web}`)
      if (new URL(web).port !== port || new URL(web).search) throw new Error(`it is at ${web}`)
      if (!(await opened.evaluate(() => window.opener === null))) throw new Error('it knows who opened it')
      await opened.close()
    },
    async 'who opens it again is in the same app, which is ended and started with arguments'() {
      await openLauncher()
      await dialog.getByText('running', { exact: true }).waitFor()
      await button(page, 'More of Web').click()
      await button(page, 'End Web').click()
      await button(page, 'End').click()
      await dialog.getByText(/ended by signal|ended with exit code/).waitFor()
      await button(page, 'More of Web').click()
      await dialog.getByRole('textbox', { name: 'Arguments' }).fill('--directory /usr')
      const opened = await windowOf(() => button(page, 'Start and open').click())
      await opened.getByRole('link', { name: 'bin/', exact: true }).waitFor()
      await opened.close()
    },
    async 'an app that fails shows how it ended and what it printed, and is started again'() {
      const opened = await openByName('broken')
      await opened.getByText('exit code 3').waitFor()
      await opened.getByText('no such luck').waitFor()
      await opened.getByRole('button', { name: 'Start again' }).click()
      await opened.getByText('exit code 3').waitFor()
      await opened.close()
    },
    async 'a server that was started by hand opens by its port'() {
      const terminal = await openByName('Console')
      await terminal.getByText('connected', { exact: true }).waitFor()
      await terminal.locator('.xterm-helper-textarea').focus()
      await terminal.keyboard.type('cd /etc && python3 -m http.server 8765 --bind 127.0.0.1')
      await terminal.keyboard.press('Enter')
      await terminal.locator('.xterm-rows').getByText('Serving HTTP on 127.0.0.1').waitFor()
      await openLauncher()
      await dialog.getByRole('textbox', { name: 'Another port' }).fill('8765')
      const opened = await windowOf(() => button(page, 'Open').click())
      await opened.getByRole('link', { name: 'passwd', exact: true }).waitFor()
      await opened.close()
      await terminal.close()
    },
    async 'an unknown app is refused with the names that there are'() {
      await page.goto(`${server}/session/work/app/rstudio`)
      await page.getByText('Its apps are: web, broken.').waitFor()
      await page.goto(`${server}/#/sessions`)
    },
    async 'a browser that nobody signed in to gets nothing of it'() {
      const stranger = await (await browser.newPage()).context().newPage()
      const answer = await stranger.goto(web)
      if (answer.status() < 400) throw new Error(`a stranger is answered ${answer.status()}`)
      await stranger.close()
    },
    async 'after the log-out the app is closed'() {
      const opened = await openByName('Web')
      await opened.getByRole('link', { name: 'bin/', exact: true }).waitFor()
      await button(page, 'Log out').click()
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      const answer = await opened.goto(web)
      if (answer.status() < 400) throw new Error(`after the log-out it answers ${answer.status()}`)
    },
  },
  browser,
)
