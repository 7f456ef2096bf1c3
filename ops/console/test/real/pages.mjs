// Axe and a picture of every page and dialog of a REAL Berth, wide and narrow, in both themes:
// node test/real/pages.mjs ORIGIN LINK_TOKEN. The pictures go to build/console_real.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkAxe, settle } from '../browser/browser.mjs'
import { PAGES } from '../browser/pictures.mjs'
import {
  beginLaunch,
  button,
  field,
  openBrowser,
  PASSWORD,
  pressLaunch,
  runSteps,
  setPassword,
} from './rig.mjs'

const [server, token] = process.argv.slice(2)
const pictures = fileURLToPath(new URL('../../../../build/console_real', import.meta.url))
const WIDTHS = [1280, 360]
const THEMES = ['light', 'dark']
const browser = await openBrowser(server)

/** What opens over a page: its name, the page, and what to do there. */
const DIALOGS = [
  ['launch', '#/sessions', (page) => button(page, 'START').click()],
  ['drawer', '#/sessions', (page) => page.getByRole('link', { name: 'train', exact: true }).click()],
  [
    'drawer-log',
    '#/sessions',
    async (page) => {
      await button(page, 'Logs of train').click()
      await page.getByText('epoch 2').last().waitFor()
    },
  ],
  ['drawer-waiting', '#/queue', (page) => page.getByRole('link', { name: 'many-3', exact: true }).click()],
  [
    'event',
    '#/events?type=SessionScheduled',
    async (page) => {
      await page.getByRole('button', { name: 'SessionScheduled' }).first().click()
      await button(page, 'How this was decided').click()
      await page.getByText('it comes out as recorded: main1').waitFor()
    },
  ],
  ['terminate', '#/sessions', (page) => button(page, 'Terminate many').click()],
  ['drain', '#/agents', (page) => page.getByRole('button', { name: /^Drain / }).click()],
  ['add-user', '#/admin/users', (page) => button(page, 'Add user').click()],
  ['edit-user', '#/admin/users', (page) => button(page, 'Edit: bob').click()],
  ['add-project', '#/admin/projects', (page) => button(page, 'Add project').click()],
  ['edit-group', '#/admin/groups', (page) => button(page, 'Edit: default').click()],
  ['set-limit', '#/admin/limits', (page) => button(page, 'Set limit').click()],
  ['add-key', '#/account', (page) => button(page, 'Add key').click()],
]

async function look(page, name, width, theme) {
  await settle(page)
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  if (beyond > 0) browser.faults.push(`${name} at ${width} is wider than the window`)
  await page.screenshot({ path: `${pictures}/${name}-${width}-${theme}.png` })
  await checkAxe(page, `${name}, ${width}, ${theme}`, browser.faults)
}

async function signIn(page) {
  await page.goto(`${browser.origin}/#/sessions`)
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  return async () => {
    await field(page, 'User').fill('admin')
    await field(page, 'Password').fill(PASSWORD)
    await button(page, 'Log in').click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  }
}

async function launch(page, name, amounts, more = {}) {
  await beginLaunch(page)
  for (const [label, text] of Object.entries({ Name: name, ...amounts, ...more }))
    await field(page, label).fill(text)
  await pressLaunch(page)
}

const steps = {
  async 'there is something to see: users, a limit, sessions that run, wait and have ended'() {
    const page = await browser.newPage()
    await setPassword(page, browser.origin, token)
    await launch(
      page,
      'train',
      { CPU: '0.5', RAM: '128m', fGPU: '0.5' },
      { Command: "sh -c 'echo epoch 1; echo epoch 2; sleep 1000'" },
    )
    await page.getByRole('row', { name: /train.*RUNNING/ }).waitFor()
    await launch(page, 'brief', { CPU: '0.1', RAM: '64m' }, { Command: 'sh -c "exit 3"' })
    await page.getByRole('tab', { name: 'Finished' }).click()
    await page.getByRole('row', { name: /brief/ }).waitFor()
    await page.getByRole('tab', { name: 'Live' }).click()
    await launch(page, 'many', { CPU: '0.1', RAM: '64m', fGPU: '1' }, { Sessions: '3' })
    await page.getByRole('button', { name: 'many × 3' }).waitFor()
    await page.context().close()
  },
}
for (const [width, theme] of WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme])))
  steps[`no serious violation of axe at ${width} pixels, ${theme}`] = async () => {
    const viewport = { width, height: width < 500 ? 740 : 800 }
    const page = await browser.newPage({ viewport, colorScheme: theme })
    const enter = await signIn(page)
    await look(page, 'login', width, theme)
    await enter()
    for (const [name, hash] of PAGES) {
      await page.goto(`${browser.origin}/${hash}`)
      await look(page, name, width, theme)
    }
    for (const [name, hash, act] of DIALOGS) {
      await page.goto('about:blank')
      await page.goto(`${browser.origin}/${hash}`)
      await act(page)
      await page.getByRole('dialog').waitFor()
      if (name === 'launch') await page.getByText(/It would (start now|wait)/).waitFor()
      if (name === 'drawer-waiting') await page.getByText('What would let it start').waitFor()
      await look(page, name, width, theme)
    }
    await page.context().close()
  }

mkdirSync(pictures, { recursive: true })
await runSteps(steps, browser)
