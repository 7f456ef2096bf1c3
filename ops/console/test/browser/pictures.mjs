// A picture of every page and dialog, at both widths and in both themes; axe looks at each.
import { startFake } from '../fake_server.mjs'
import { folder, newPage, picture, signIn, startSessions } from './browser.mjs'

const WIDTHS = [1280, 360]
const THEMES = ['light', 'dark']

export const PAGES = [
  ['sessions', '#/sessions'],
  ['sessions-none-match', '#/sessions?q=nothing-has-this-name'],
  ['finished', '#/sessions?tab=finished'],
  ['agents', '#/agents'],
  ['queue', '#/queue'],
  ['events', '#/events'],
  ['admin-users', '#/admin/users'],
  ['admin-projects', '#/admin/projects'],
  ['admin-domains', '#/admin/domains'],
  ['admin-groups', '#/admin/groups'],
  ['admin-limits', '#/admin/limits'],
  ['admin-presets', '#/admin/presets'],
  ['admin-images', '#/admin/images'],
  ['admin-quarantine', '#/admin/quarantine'],
  ['account', '#/account'],
  ['no-such-page', '#/nowhere'],
]

/** What opens over a page: where, and what to do there first. */
const DIALOGS = [
  ['launch', '#/sessions', (page) => page.getByRole('button', { name: 'START' }).click()],
  ['drawer', async (fake) => `#/sessions?open=${sessionNamed(fake, 'notebook').id}`],
  ['drawer-waiting', async (fake) => `#/sessions?open=${sessionNamed(fake, 'many-3').id}`],
  ['drawer-log', async (fake) => `#/sessions?open=${sessionNamed(fake, 'notebook').id}&view=log`],
  ['event', async (fake) => `#/events?open=${fake.cluster.events.at(-1).id}`],
  ['terminate', '#/sessions', (page) => page.getByRole('button', { name: 'Terminate many' }).first().click()],
  ['add-user', '#/admin/users', (page) => page.getByRole('button', { name: 'Add user' }).click()],
  ['edit-limit', '#/admin/limits', (page) => page.getByRole('button', { name: 'Edit: user alice' }).click()],
]

const sessionNamed = (fake, name) =>
  [...fake.cluster.tables.sessions.values()].findLast((session) => session.name === name)

export async function takePictures(browser, fake) {
  const resources = { cpu: '1', mem: '1g', 'cuda.shares': '1' }
  startSessions(fake, { name: 'many', image: 'python:3.11', count: 3, resources })
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      const page = await newPage(browser, { width, theme })
      await page.goto(`${fake.origin}/#/`)
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      await picture(page, 'login', width, theme)
      await signIn(page, fake, 'admin', 'admin-secret')
      for (const [name, hash] of PAGES) {
        await page.goto(`${fake.origin}/${hash}`)
        await picture(page, name, width, theme)
      }
      for (const [name, place, act] of DIALOGS) {
        await page.goto('about:blank')
        await page.goto(`${fake.origin}/${typeof place === 'string' ? place : await place(fake)}`)
        await act?.(page)
        await page.getByRole('dialog').waitFor()
        if (name === 'launch') await page.getByText('would start now').waitFor()
        await picture(page, name, width, theme)
      }
      await page.context().close()
    }
  }
}

export async function showEmpty(browser) {
  const fake = await startFake({ folder, empty: true })
  for (const width of WIDTHS) {
    const page = await newPage(browser, { width })
    await signIn(page, fake, 'alice', 'alice-secret')
    await page.getByText('This cluster has no agents yet').waitFor()
    await picture(page, 'sessions-empty', width, 'light')
    await page.goto(`${fake.origin}/#/agents`)
    await picture(page, 'agents-empty', width, 'light')
    await page.context().close()
  }
  fake.close()
}
