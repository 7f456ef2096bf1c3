// What people do with the apps of a session, against the FAKE server's scripted ones.
import { Refusal } from '../fake/cluster.mjs'
import { startFake } from '../fake_server.mjs'
import {
  comesTrue,
  expect,
  folder,
  newPage,
  picture,
  signIn,
  startSessions,
  THEMES,
  watchFaults,
  WIDTHS,
} from './browser.mjs'

const sessionNamed = ({ cluster }, name) =>
  [...cluster.tables.sessions.values()].findLast((session) => session.name === name)

const dialogOf = (page) => page.getByRole('dialog')
const link = (page, name) => dialogOf(page).getByRole('link', { name, exact: true })
const button = (page, name) => page.getByRole('button', { name, exact: true })

async function openLauncher(page, name) {
  await button(page, `Apps of ${name}`).click()
  await link(page, 'Jupyter Notebook').waitFor()
}

/** The window that something opens. */
async function windowOf(page, open) {
  const [opened] = await Promise.all([page.context().waitForEvent('page'), open()])
  return watchFaults(opened)
}

const arrived = (page, app) => page.getByRole('heading', { name: `The app ${app}` }).waitFor()

async function openWith(page, app, words, variable) {
  await openLauncher(page, 'notebook')
  await button(page, `More of ${app}`).click()
  await dialogOf(page).getByRole('textbox', { name: 'Arguments' }).fill(words)
  if (variable) {
    await button(page, 'Add a variable').click()
    await page.getByLabel('Name 1').fill(variable[0])
    await page.getByLabel('Value 1').fill(variable[1])
  }
  return windowOf(page, () => button(page, 'Start and open').click())
}

export async function walkApps(browser) {
  const fake = await startFake({ folder })
  const page = await newPage(browser)
  await signIn(page, fake, 'alice', 'alice-secret')
  const session = sessionNamed(fake, 'notebook')
  await walkFirstIcon(page, fake, session)
  await walkOrder(page, fake, session)
  await walkEndOfApp(page, fake, session)
  await walkFailures(page, fake, session)
  await walkOtherPorts(page, fake, session)
  await walkCut(page, fake, session)
  await walkKeys(page)
  await page.context().close()
  fake.close()
}

async function walkFirstIcon(page, fake, session) {
  const row = page.getByRole('row', { name: /notebook/ })
  const first = row.locator('.row-control > *').first()
  expect((await first.getAttribute('aria-label')) === 'Apps of notebook', 'the first icon is another')
  await openLauncher(page, 'notebook')
  const opened = await windowOf(page, () => link(page, 'Jupyter Notebook').click())
  await dialogOf(page).waitFor({ state: 'detached' })
  await arrived(opened, 'jupyter')
  const { host, search, hash } = new URL(opened.url())
  expect(host.startsWith(`jupyter--${session.id}.localhost`), `the app's host is ${host}`)
  expect(search === '' && hash === '', `the app's address has ${search}${hash}`)
  expect(await opened.evaluate(() => window.opener === null), "the app's window knows who opened it")
  await openLauncher(page, 'notebook')
  await dialogOf(page).getByText('running').waitFor()
  const again = await windowOf(page, () => link(page, 'Jupyter Notebook').click())
  await arrived(again, 'jupyter')
  const before = fake.apps.cookies.size
  await again.goBack({ waitUntil: 'commit' })
  expect(
    await comesTrue(() => fake.apps.cookies.size > before),
    'who goes back from an app waits for ever',
  )
  await arrived(again, 'jupyter')
  await again.close()
  await opened.close()
}

/** What it is started with arrives, and stands in no address. */
async function walkOrder(page, fake, session) {
  const opened = await openWith(page, 'JupyterLab', "--debug 'two words'", ['SECRET', 'of nobody else'])
  await arrived(opened, 'jupyterlab')
  const { order } = fake.apps.of(session, 'jupyterlab')
  expect(
    JSON.stringify(order) ===
      JSON.stringify({ arguments: ['--debug', 'two words'], environment: { SECRET: 'of nobody else' } }),
    `it was started with ${JSON.stringify(order)}`,
  )
  await opened.close()
  const late = await newTab(
    page,
    `${fake.origin}/session/${session.id}/app/tensorboard#${crypto.randomUUID()}`,
  )
  await late.getByText('The arguments are no longer there').waitFor()
  expect(!fake.apps.of(session, 'tensorboard'), 'an app was started without what it was to be started with')
  await late.getByRole('button', { name: 'Open without them' }).click()
  await arrived(late, 'tensorboard')
  await late.close()
}

async function newTab(page, url) {
  const tab = watchFaults(await page.context().newPage())
  await tab.goto(url)
  return tab
}

async function walkEndOfApp(page, fake, session) {
  await openLauncher(page, 'notebook')
  await button(page, 'More of TensorBoard').click()
  await button(page, 'End TensorBoard').click()
  await dialogOf(page).getByText('What it has not saved is lost').waitFor()
  await button(page, 'End').click()
  await dialogOf(page).getByText('ended by signal 15').waitFor()
  expect(!fake.apps.of(session, 'tensorboard').runs, 'the app was not ended')
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
}

async function walkFailures(page, fake, session) {
  const opened = await openWith(page, 'TensorBoard', '--fail')
  await opened.getByText('TensorBoard has ended').waitFor()
  await opened.getByText('exit code 3').waitFor()
  await opened.getByText('no module named pkg_resources').waitFor()
  await picture(opened, 'app-ended', 1280, 'light')
  await opened.getByRole('button', { name: 'Start again' }).click()
  await opened.getByText('TensorBoard has ended').waitFor()
  await opened.reload()
  await arrived(opened, 'tensorboard')
  await opened.close()
  const place = (app, id = session.id) => `${fake.origin}/session/${id}/app/${app}`
  const other = await newTab(page, place('rstudio'))
  await other.getByText('Its apps are: jupyter, jupyterlab, tensorboard').waitFor()
  await picture(other, 'app-unknown', 1280, 'light')
  await other.goto(place('scheduler'))
  await other.getByText('This app is not for a browser').waitFor()
  await other.goto(place('jupyter', 'nonsense'))
  await other.getByText('This session was not found').waitFor()
  fake.apps.refusal = new Refusal(400, 'no-app-origin', 'apps have no names of their own on this server')
  await other.goto(place('jupyter'))
  await other.getByText('This server has no addresses for apps').waitFor()
  await picture(other, 'app-no-origin', 1280, 'light')
  fake.apps.refusal = new Refusal(409, 'not-for-this-backend', 'a process would listen on the host')
  await other.reload()
  await other.getByText('This session cannot have apps').waitFor()
  fake.apps.refusal = new Refusal(429, 'too-many-streams', 'too much is open', { hint: 'close some' })
  await other.reload()
  await other.getByText('Too much is open').waitFor()
  fake.apps.refusal = null
  await other.getByRole('button', { name: 'Try again' }).click()
  await arrived(other, 'jupyter')
  await other.close()
}

async function walkOtherPorts(page, fake, session) {
  await openLauncher(page, 'notebook')
  const preopen = await windowOf(page, () => link(page, 'Report').click())
  await arrived(preopen, 'report')
  await preopen.close()
  expect(!fake.apps.of(session, 'report'), "a server of the session's own program was started")
  await openLauncher(page, 'notebook')
  const field = dialogOf(page).getByRole('textbox', { name: 'Another port' })
  await field.fill('70000')
  await dialogOf(page).getByText('A port is a number from 1 to 65535').waitFor()
  await field.fill('8501')
  const opened = await windowOf(page, () => field.press('Enter'))
  await arrived(opened, '8501')
  await opened.close()
}

/** An app that starts outlives a cut, and is followed again. */
async function walkCut(page, fake, session) {
  fake.apps.end(session, 'jupyterlab')
  const opened = await openWith(page, 'JupyterLab', '--hang')
  await opened.getByText('Starting JupyterLab').waitFor()
  await opened.getByText('Log', { exact: true }).click()
  await opened.getByText('Serving from local directory').waitFor()
  fake.down(true)
  await opened.getByText('The connection is lost; it is tried again').waitFor()
  fake.down(false)
  await opened.getByText('The connection is lost; it is tried again').waitFor({ state: 'detached' })
  fake.apps.of(session, 'jupyterlab').become({ state: 'ready' })
  await arrived(opened, 'jupyterlab')
  await opened.close()
}

/** By the keyboard alone: in, to an app, out, and back to where it began. */
async function walkKeys(page) {
  const apps = button(page, 'Apps of notebook')
  await apps.focus()
  await page.keyboard.press('Enter')
  await link(page, 'Jupyter Notebook').waitFor()
  for (let count = 0; count < 3; count++) {
    if (await link(page, 'Jupyter Notebook').evaluate((one) => one === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  const opened = await windowOf(page, () => page.keyboard.press('Enter'))
  await arrived(opened, 'jupyter')
  await opened.close()
  await apps.focus()
  await page.keyboard.press('Enter')
  await link(page, 'Jupyter Notebook').waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  expect(await apps.evaluate((one) => one === document.activeElement), 'the focus is lost with the launcher')
}

/** Whose apps they are not, what does not run yet, what ends, and who is signed out. */
export async function walkAppRights(browser) {
  const fake = await startFake({ folder })
  fake.people.setPassword('admin', 'admin-secret')
  const request = { image: 'python:3.12', resources: { cpu: '1' } }
  const [own] = startSessions(fake, { ...request, name: 'own' })
  const [waiting] = startSessions(fake, { ...request, name: 'waiting', resources: { cpu: '24' } })
  const page = await newPage(browser)
  const place = ({ id }) => `${fake.origin}/session/${id}/app/jupyter`
  await page.goto(place(own))
  await page.getByLabel('User').fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill('admin-secret')
  await page.getByRole('button', { name: 'Log in' }).click()
  await arrived(page, 'jupyter')
  await page.goto(`${fake.origin}/#/sessions`)
  await button(page, 'Apps of own').waitFor()
  for (const name of ['notebook', 'waiting'])
    expect((await button(page, `Apps of ${name}`).count()) === 0, `apps are offered of ${name}`)
  await page.getByRole('link', { name: 'own', exact: true }).click()
  await dialogOf(page).getByRole('button', { name: 'Apps', exact: true }).click()
  await link(page, 'Jupyter Notebook').waitFor()
  await page.goto(place(sessionNamed(fake, 'notebook')))
  await page.getByText('Only the owner of a session can open its apps').waitFor()
  await page.goto(place(waiting))
  await page.getByText('The session is not running yet').waitFor()
  await picture(page, 'app-waits', 1280, 'light')
  fake.cluster.addAgent('roomy', { cpu: '64', mem: '64g' }, [])
  fake.cluster.schedule()
  await arrived(page, 'jupyter')
  await page.goto(`${fake.origin}/#/sessions`)
  await openLauncher(page, 'own')
  await button(page, 'More of JupyterLab').click()
  await dialogOf(page).getByRole('textbox', { name: 'Arguments' }).fill('--hang')
  const starts = await windowOf(page, () => button(page, 'Start and open').click())
  await starts.getByText('Starting JupyterLab').waitFor()
  fake.cluster.end(fake.cluster.tables.sessions.get(own.id), 'admin')
  await starts.getByText('The session is not running').waitFor()
  await starts.reload()
  await starts.getByText('The session has ended').waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await starts.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.context().close()
  fake.close()
}

const LANGUAGES = {
  en: ['Apps of notebook', 'More of JupyterLab'],
  ko: ['notebook 앱', 'JupyterLab 더 보기'],
}

/** The launcher and an app on its way, in each look and both languages. */
export async function takeAppPictures(browser) {
  for (const [locale, [apps, more]] of Object.entries(LANGUAGES))
    for (const theme of THEMES)
      for (const width of WIDTHS) {
        const fake = await startFake({ folder })
        const page = await newPage(browser, { width, theme, phone: width < 500 })
        await signIn(page, fake, 'alice', 'alice-secret')
        await page.evaluate((language) => localStorage.setItem('berth.language', language), locale)
        await page.reload()
        const session = sessionNamed(fake, 'notebook')
        await button(page, apps).click()
        await link(page, 'Jupyter Notebook').waitFor()
        await picture(page, `launcher-${locale}`, width, theme)
        await button(page, more).click()
        await picture(page, `launcher-more-${locale}`, width, theme)
        const order = { arguments: ['--hang'], environment: {} }
        fake.apps.serve(
          { once: (_, hear) => hear(JSON.stringify(order)), on() {}, send() {}, close() {}, terminate() {} },
          session,
          'jupyter',
        )
        await page.goto(`${fake.origin}/session/${session.id}/app/jupyter`)
        await page.locator('.app-log summary').click()
        await page.getByText('Serving from local directory').waitFor()
        await picture(page, `app-starting-${locale}`, width, theme)
        fake.apps
          .of(session, 'jupyter')
          .end(1, 0, `\x1b[31mError\x1b[0m: ${'a-very-long-word-'.repeat(12)}\r\n`)
        await page.getByText('a-very-long-word').waitFor()
        await picture(page, `app-ended-${locale}`, width, theme)
        await page.context().close()
        fake.close()
      }
}

/** The amount of memory follows what the image says it needs, until a person chooses one. */
export async function walkImageMemory(browser) {
  const fake = await startFake({ folder })
  const page = await newPage(browser)
  await signIn(page, fake, 'alice', 'alice-secret')
  await button(page, 'START').click()
  const memory = dialogOf(page).getByRole('textbox', { name: 'RAM' })
  const choose = (environment) =>
    page.getByRole('combobox', { name: 'Environment' }).selectOption(environment)
  const asked = async (amount, what) =>
    expect((await memory.inputValue()) === amount, `${what}: ${await memory.inputValue()}`)
  await asked('1g', 'memory for an image that says nothing')
  await choose('pytorch')
  await asked('4g', 'memory for an image that recommends 4 GiB')
  await memory.fill('1g')
  await dialogOf(page).getByText('Less than this image needs (2.06 GiB)').waitFor()
  await picture(page, 'launch-below-image', 1280, 'light')
  await memory.fill('3g')
  await dialogOf(page).getByText('Less than this image needs').waitFor({ state: 'detached' })
  await choose('python')
  await asked('3g', 'memory that was chosen')
  await page.context().close()
  fake.close()
}
