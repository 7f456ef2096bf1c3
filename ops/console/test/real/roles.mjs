// Each role opens every page of a REAL Berth: node test/real/roles.mjs ORIGIN TOKENS
// TOKENS is JSON: a login link's token for admin (superadmin), dora (administers the domain lab), paul (administers its project
// ml), ursula (of ml), oscar (of the domain default) and mona (monitor). What each may see and do is projections/rights.cc's.
import { beginLaunch, button, field, openBrowser, pressLaunch, runSteps, setPassword } from './rig.mjs'

const [server, tokens] = process.argv.slice(2)
const links = JSON.parse(tokens)

const SECTIONS = ['Users', 'Projects', 'Domains', 'Resource groups', 'Limits', 'Presets', 'Images']
const EVERY_ADD = [
  'Add user',
  'Add project',
  'Add domain',
  'Add resource group',
  'Set limit',
  'Add preset',
  'Add image',
  'Add producer',
]
const LAB = ['dora', 'paul', 'ursula']
const ALL = ['admin', ...LAB, 'oscar']
/** Each has a folder of their name, and the project ml has one. */
const FOLDERS = [...ALL, 'ml']

/** Whose sessions each sees and may end; sections of Admin, what may be added there, and which rows' buttons there are.
 * `folders`: those that each sees, may open, rename and throw away. */
const alike = (names) => ({ sees: names, opens: names, renames: names, trashes: names })
const PLAIN = { sections: [], adds: [], users: [], acts: [] }
const ROLES = {
  admin: {
    sees: ALL,
    ends: ALL,
    sections: [...SECTIONS, 'Producers', 'Quarantine'],
    adds: EVERY_ADD,
    users: [...ALL, 'mona'],
    acts: [
      'Edit: ursula',
      'Edit: admin',
      'Login link: ursula',
      'Edit: ml',
      'Remove: ml',
      'Edit: lab',
      'Edit: default',
    ],
    folders: { sees: FOLDERS, opens: ['admin'], renames: ['admin'], trashes: FOLDERS },
    drains: true,
  },
  dora: {
    sees: LAB,
    ends: LAB,
    sections: SECTIONS,
    adds: ['Add user', 'Add project', 'Set limit'],
    users: LAB,
    acts: ['Edit: ursula', 'Login link: ursula', 'Edit: ml', 'Remove: ml'],
    folders: { sees: [...LAB, 'ml'], opens: ['dora'], renames: ['dora'], trashes: [...LAB, 'ml'] },
  },
  paul: {
    sees: ['paul', 'ursula'],
    ends: ['paul', 'ursula'],
    sections: SECTIONS,
    adds: [],
    users: ['paul', 'ursula'],
    acts: ['Edit: ml'],
    folders: alike(['paul', 'ml']),
  },
  ursula: {
    ...PLAIN,
    sees: ['ursula'],
    ends: ['ursula'],
    folders: { ...alike(['ursula']), sees: ['ursula', 'ml'], opens: ['ursula', 'ml'] },
  },
  oscar: { ...PLAIN, sees: ['oscar'], ends: ['oscar'], folders: alike(['oscar']) },
  mona: {
    sees: ALL,
    ends: [],
    sections: [...SECTIONS, 'Producers', 'Quarantine'],
    adds: [],
    users: [...ALL, 'mona'],
    acts: [],
    folders: { sees: FOLDERS, opens: [], renames: [], trashes: [] },
  },
}
const EVERY_ACT = ROLES.admin.acts

const browser = await openBrowser(server)
const pages = {}
let hasFolders = false

function expectSame(what, found, expected) {
  const [got, wanted] = [[...found].sort().join(', '), [...expected].sort().join(', ')]
  if (got !== wanted) throw new Error(`${what}: ${got || 'none'}; the rights say ${wanted || 'none'}`)
}

const settled = (page) => page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy=true]'))
const inMain = (page) => page.getByRole('main')

async function open(page, name, heading = name) {
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  await settled(page)
}

/** Of these names, those for which the page has one. */
async function present(names, locate) {
  const found = []
  for (const name of names) if ((await locate(name).count()) > 0) found.push(name)
  return found
}

async function start(page, name) {
  await beginLaunch(page)
  await field(page, 'Name').fill(`of-${name}`)
  await field(page, 'CPU').fill('0.1')
  await field(page, 'RAM').fill('64m')
  await pressLaunch(page)
  await page.getByRole('row', { name: new RegExp(`of-${name}.*RUNNING`) }).waitFor()
}

async function checkSessions(page, { sees, ends }) {
  await page.getByRole('link', { name: 'Sessions', exact: true }).click()
  for (const name of sees) await page.getByRole('row', { name: new RegExp(`of-${name}.*RUNNING`) }).waitFor()
  expectSame(
    'sessions',
    await present(ALL, (name) => page.getByRole('link', { name: `of-${name}`, exact: true })),
    sees,
  )
  expectSame('power buttons', await present(ALL, (name) => button(page, `Terminate of-${name}`)), ends)
  await page.getByRole('link', { name: `of-${sees[0]}`, exact: true }).click()
  await page.getByRole('dialog').getByRole('tab', { name: 'Logs' }).click()
  await page.getByRole('dialog').getByRole('tab', { name: 'Events' }).click()
  await page.getByRole('dialog').getByText('SessionScheduled').first().waitFor()
  await button(page, 'Close').click()
}

async function checkOtherPages(page, name, { sees, drains }) {
  await open(page, 'Agents')
  expectSame('drains', [(await page.getByRole('button', { name: /^Drain / }).count()) > 0], [drains ?? false])
  await inMain(page).getByText(`Kernels: ${sees.length}`).waitFor()
  await open(page, 'Queue')
  await inMain(page).getByText('No sessions are waiting in this resource group').waitFor()
  await open(page, 'Events')
  const requests = inMain(page).getByRole('row', {
    name: /SessionRequested|SessionAccepted|SessionScheduled/,
  })
  await requests.first().waitFor()
  await open(page, 'My account', name)
  await inMain(page)
    .getByRole('region', { name: 'Where I am logged in' })
    .getByRole('row', { name: /this one/ })
    .waitFor()
}

/** There are folders where there are containers. */
async function makeFolders(name) {
  const page = pages[name]
  await open(page, 'Storage')
  if (name === 'mona')
    return expectSame('mona may add', await present(['New folder'], (add) => button(page, add)), [])
  hasFolders = await button(page, 'New folder').isEnabled()
  if (!hasFolders) return
  for (const owner of name === 'paul' ? ['paul', 'ml'] : [name]) {
    await button(page, 'New folder').click()
    await field(page, 'Name').fill(`of-${owner}`)
    if (owner === 'ml') await page.getByRole('combobox', { name: 'Owner' }).selectOption('project ml')
    await button(page, 'Add').click()
    await page.getByRole('row', { name: new RegExp(`of-${owner}.*READY`) }).waitFor()
  }
}

async function checkStorage(page, { folders: { sees, opens, renames, trashes } }) {
  if (!hasFolders) return
  await open(page, 'Storage')
  await page.getByRole('row', { name: new RegExp(`of-${sees[0]}.*READY`) }).waitFor()
  const main = inMain(page)
  const cell = (name) => main.getByRole('cell', { name: `of-${name}`, exact: true })
  expectSame('folders', await present(FOLDERS, cell), sees)
  const link = (name) => main.getByRole('link', { name: `of-${name}`, exact: true })
  expectSame('folders that open', await present(FOLDERS, link), opens)
  expectSame(
    'folders to rename',
    await present(FOLDERS, (name) => button(page, `Rename: of-${name}`)),
    renames,
  )
  const trash = (name) => button(page, `Move to the trash: of-${name}`)
  expectSame('folders to throw away', await present(FOLDERS, trash), trashes)
}

async function checkAdmin(page, { sections, adds, users, acts }) {
  const link = page.getByRole('link', { name: 'Admin', exact: true })
  if (sections.length === 0) {
    if ((await link.count()) > 0) throw new Error('Admin is offered')
    for (const section of ['users', 'projects', 'groups', 'quarantine']) {
      await page.goto(`${browser.origin}/#/admin/${section}`)
      await page.getByText('You do not have access to this page').waitFor()
    }
    return
  }
  await link.click()
  const navigation = page.getByRole('navigation', { name: 'Admin' })
  await navigation.getByRole('link').first().waitFor()
  expectSame('sections', await navigation.getByRole('link').allInnerTexts(), sections)
  const added = []
  const acted = new Set()
  for (const section of sections) {
    const tab = navigation.getByRole('link', { name: section, exact: true })
    await tab.click()
    await tab.and(navigation.locator('[aria-current=page]')).waitFor() // what is shown is its section
    await settled(page)
    added.push(...(await present(EVERY_ADD, (add) => button(page, add))))
    for (const act of await present(EVERY_ACT, (one) => button(page, one))) acted.add(act)
    if (section === 'Users') {
      await inMain(page).getByRole('row', { name: users[0] }).first().waitFor()
      expectSame(
        'users',
        await present([...ALL, 'mona'], (user) =>
          inMain(page).getByRole('cell', { name: user, exact: true }),
        ),
        users,
      )
    }
  }
  expectSame('what may be added', added, adds)
  expectSame('what may be done', acted, acts)
}

const steps = {
  async 'each role signs in by its link, and all but the monitor start a session'() {
    for (const name of Object.keys(ROLES)) {
      pages[name] = await browser.newPage()
      await setPassword(pages[name], browser.origin, links[name])
      if (name !== 'mona') await start(pages[name], name)
      else if ((await button(pages.mona, 'START').count()) > 0)
        throw new Error('START is offered to a monitor')
    }
  },
  async 'all but the monitor make a folder, and the administrator of a project one of that'() {
    for (const name of Object.keys(ROLES)) await makeFolders(name)
  },
}
for (const [name, role] of Object.entries(ROLES))
  steps[`${name} sees what the rights give, on every page`] = async () => {
    await checkSessions(pages[name], role)
    await checkOtherPages(pages[name], name, role)
    await checkStorage(pages[name], role)
    await checkAdmin(pages[name], role)
  }
steps['an end of another browser session leaves the list, and that browser'] = async () => {
  const other = await browser.newPage()
  await other.goto(`${browser.origin}/#/sessions`)
  await field(other, 'User').fill('ursula')
  await other.getByRole('textbox', { name: 'Password' }).fill('a long enough secret')
  await button(other, 'Log in').click()
  await other.getByRole('heading', { name: 'Sessions' }).waitFor()
  const page = pages.ursula
  await page.getByRole('link', { name: 'My account' }).click()
  const rows = page.getByRole('region', { name: 'Where I am logged in' }).getByRole('row')
  await rows.nth(2).waitFor()
  await rows.getByRole('button', { name: /^Log out / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click()
  await rows.nth(2).waitFor({ state: 'detached' })
  await rows.filter({ hasText: 'this one' }).waitFor()
  await other.getByRole('heading', { name: 'Log in' }).waitFor()
}

await runSteps(steps, browser)
