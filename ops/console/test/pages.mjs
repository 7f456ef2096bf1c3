// Goes through every page of the built console in Chromium, against the FAKE server: node test/pages.mjs [FOLDER]
// Screenshots at 1280 and 360 pixels, in both themes, go to build/console_pages. Fails on a serious axe violation, on any
// violation of the content security policy, on an error in the browser's console, and on a step that does not do what it says.
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { startFake } from './fake_server.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = process.argv[2] ?? `${root}build/release/console`
const pictures = `${root}build/console_pages`
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDTHS = [1280, 360]
const THEMES = ['light', 'dark']
const faults = []

const PAGES = [
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

function expect(holds, what) {
  if (!holds) faults.push(what)
}

async function newPage(browser, { width = 1280, theme = 'light', locale = 'en' } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 740 : 800 },
    colorScheme: theme,
    locale,
    bypassCSP: false,
  })
  return watchFaults(await context.newPage())
}

/** Problems that a step provokes on purpose are answers of /v1, which Chromium logs as failed resources. */
function watchFaults(page) {
  page.on('console', (message) => {
    const provoked = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !provoked) faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
  return page
}

async function signIn(page, fake, user, password) {
  await page.goto(`${fake.origin}/#/sessions`)
  await page.getByLabel('User').fill(user)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
}

/** Axe is run by the debugger's hand, which the page's policy does not bind. */
async function checkAxe(page, name) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ['violations'] }),
  )
  for (const { id, impact, nodes } of violations) {
    if (impact !== 'serious' && impact !== 'critical') continue
    faults.push(
      `axe, ${name}: ${id} (${impact}): ${nodes
        .slice(0, 3)
        .map((node) => `${node.target.join(' ')}: ${node.any[0]?.message ?? ''}`)
        .join('; ')}`,
    )
  }
}

/** Nothing is being loaded or moving any more. */
async function settle(page) {
  await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy=true]'))
  await page.evaluate(async () => {
    await document.fonts.ready
    const moving = document.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity)
    await Promise.all(moving.map((animation) => animation.finished.catch(() => undefined)))
  })
}

async function takePictures(browser, fake) {
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

async function picture(page, name, width, theme) {
  await settle(page)
  expect(
    (await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0,
    `${name} at ${width} is wider than the window`,
  )
  await page.screenshot({ path: `${pictures}/${name}-${width}-${theme}.png` })
  await checkAxe(page, `${name}, ${width}, ${theme}`)
}

async function walkStory(browser, fake) {
  const page = await newPage(browser)
  await page.goto(`${fake.origin}/#/link/first-start`)
  await page.getByRole('textbox', { name: 'New password' }).fill('admin-secret')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('button', { name: 'START' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('many')
  await page.getByRole('textbox', { name: 'fGPU', exact: true }).fill('1')
  await page.getByRole('textbox', { name: 'Sessions', exact: true }).fill('3')
  await page.getByText('2 would start now, 1 would wait').waitFor()
  await page.getByRole('textbox', { name: 'fGPU', exact: true }).fill('0.25')
  await page.getByText('no multiple of 0.1').first().waitFor()
  await page.getByRole('textbox', { name: 'fGPU', exact: true }).fill('1')
  await page.getByText('2 would start now, 1 would wait').waitFor()
  await page.getByRole('button', { name: 'LAUNCH' }).click()
  await page.getByText('ready on a1').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('img', { name: 'fGPU in default: 2 / 2' }).waitFor()
  await page.getByRole('button', { name: 'many × 3' }).click()
  await page.getByRole('row', { name: /many-3.*PENDING.*no agent has enough free/ }).waitFor()

  await page.getByRole('button', { name: 'Terminate many-1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Terminate' }).click()
  await page.getByRole('row', { name: /many-3.*RUNNING/ }).waitFor()
  await page.getByRole('img', { name: 'fGPU in default: 2 / 2' }).waitFor()
  await page.getByRole('tab', { name: 'Finished' }).click()
  await page.getByRole('row', { name: /many-1.*TERMINATED/ }).waitFor()
  await page.getByRole('tab', { name: 'Running' }).click()

  await page.getByRole('button', { name: 'Terminate many', exact: true }).click()
  await page.getByRole('heading', { name: 'Terminate 2 sessions?' }).waitFor()
  await page.getByRole('button', { name: 'Terminate 2 sessions' }).click()
  await page.getByRole('img', { name: 'fGPU in default: 0 / 2' }).waitFor()
  await page.context().close()
}

async function tabTo(page, target) {
  for (let count = 0; count < 80; count++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  faults.push(`the keyboard does not reach ${target}`)
}

/** From the login to a running session and to its end, and no mouse. */
async function walkKeyboard(browser, fake) {
  const page = await newPage(browser)
  await page.goto(`${fake.origin}/#/sessions`)
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.keyboard.type('admin')
  await tabTo(page, page.getByRole('textbox', { name: 'Password' }))
  await page.keyboard.type('admin-secret')
  await page.keyboard.press('Enter')
  const start = page.getByRole('button', { name: 'START' })
  await start.waitFor()
  await tabTo(page, start)
  await page.keyboard.press('Enter')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.waitFor()
  await tabTo(page, name)
  await page.keyboard.type('by-hand')
  const slider = page.getByRole('slider', { name: 'CPU by slider' })
  await tabTo(page, slider)
  await page.keyboard.press('ArrowRight')
  await tabTo(page, page.getByRole('button', { name: 'LAUNCH' }))
  await page.keyboard.press('Enter')
  await page.getByText('ready on a1').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /by-hand.*RUNNING.*1.5 CPU/ }).waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Terminate by-hand' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Terminate by-hand?' }).waitFor()
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Terminate' }))
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'by-hand' }).waitFor({ state: 'detached' })
  await page.context().close()
}

function startOne(fake, name) {
  const owner = { domain: 'default', project: 'default', user: 'admin' }
  const sessions = fake.cluster.create({ name, resources: { cpu: '1' } }, owner)
  fake.cluster.accept(sessions, 'admin')
  return sessions[0]
}

/** Three tabs, one stream; it is cut, and nothing is missed; another person logs in in one, and all are theirs. */
async function walkLive(browser, fake) {
  const first = await newPage(browser)
  await signIn(first, fake, 'admin', 'admin-secret')
  const tabs = [first]
  for (let count = 0; count < 2; count++) {
    tabs.push(watchFaults(await first.context().newPage()))
    await tabs.at(-1).goto(`${fake.origin}/#/sessions`)
  }
  await Promise.all(tabs.map((tab) => tab.getByRole('link', { name: 'notebook' }).waitFor()))
  expect(fake.streams() === 1, `three tabs hold ${fake.streams()} streams`)

  const listings = fake.listings()
  const brief = startOne(fake, 'brief')
  await Promise.all(tabs.map((tab) => tab.getByRole('row', { name: /brief.*RUNNING/ }).waitFor()))
  fake.down(true)
  fake.cut()
  await Promise.all(tabs.map((tab) => tab.getByText('The connection to the server is lost').waitFor()))
  startOne(fake, 'while-away')
  fake.cluster.end(fake.cluster.tables.sessions.get(brief.id), 'admin')
  fake.down(false)
  await Promise.all(tabs.map((tab) => tab.getByRole('row', { name: /while-away.*RUNNING/ }).waitFor()))
  await Promise.all(
    tabs.map((tab) => tab.getByText('The connection to the server is lost').waitFor({ state: 'detached' })),
  )

  await Promise.all(
    tabs.map((tab) => tab.getByRole('link', { name: 'brief' }).waitFor({ state: 'detached' })),
  )
  expect(fake.listings() === listings, 'a cut made the console read its lists again')

  await first.getByRole('button', { name: 'Log out' }).click()
  await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name: 'Log in' }).waitFor()))
  await signIn(first, fake, 'alice', 'alice-secret')
  await Promise.all(tabs.map((tab) => tab.getByText('Alice Kim').waitFor()))
  await Promise.all(tabs.map((tab) => tab.getByRole('link', { name: 'notebook' }).waitFor()))
  for (const tab of tabs) {
    expect((await tab.getByText('while-away').count()) === 0, 'alice sees a session of the admin')
    expect(
      (await tab.getByRole('link', { name: 'Admin', exact: true }).count()) === 0,
      'alice is shown Admin',
    )
  }
  await tabs[1].goto(`${fake.origin}/#/admin/users`)
  await tabs[1].getByText('This page is not open to you').waitFor()
  await picture(tabs[1], 'denied', 1280, 'light')
  expect(fake.streams() === 1, `three tabs hold ${fake.streams()} streams after a new login`)
  await first.context().close()
}

async function walkAdmin(browser, fake) {
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  await page.getByRole('link', { name: 'Admin', exact: true }).click()
  await page.getByRole('button', { name: 'Add user' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Bad Name')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('a name is small letters').first().waitFor()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('bob')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { name: 'Login link for bob' }).waitFor()
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await page.getByRole('row', { name: /bob/ }).waitFor()
  await page.getByRole('link', { name: 'Limits' }).click()
  await page.getByRole('button', { name: 'Set limit' }).click()
  await page.getByRole('textbox', { name: 'Of', exact: true }).fill('bob')
  await page.getByRole('textbox', { name: 'CPU', exact: true }).fill('4')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /bob.*4 CPU/ }).waitFor()
  await page.context().close()
}

async function walkKorean(browser, fake) {
  const page = await newPage(browser, { locale: 'ko' })
  await page.goto(`${fake.origin}/#/`)
  await page.getByRole('heading', { name: '로그인' }).waitFor()
  await page.getByLabel('사용자').fill('admin')
  await page.getByRole('textbox', { name: '비밀번호' }).fill('admin-secret')
  await page.getByRole('button', { name: '로그인' }).click()
  await page.getByRole('heading', { name: '세션' }).waitFor()
  await page.getByRole('link', { name: 'notebook' }).waitFor()
  await picture(page, 'sessions-korean', 1280, 'light')
  await page.getByRole('banner').getByRole('button', { name: '시작' }).click()
  await page.getByText('바로 시작합니다').waitFor()
  await picture(page, 'launch-korean', 1280, 'light')
  await page.context().close()
}

async function showEmpty(browser) {
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

mkdirSync(pictures, { recursive: true })
const fake = await startFake({ folder })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const walks = [walkStory, walkKeyboard, walkAdmin, walkLive, takeAfterLaunch, walkKorean, showEmpty]

async function takeAfterLaunch(chromiumBrowser, server) {
  server.cluster.accept(
    server.cluster.create(
      {
        name: 'many',
        image: 'python:3.11',
        count: 3,
        resources: { cpu: '1', mem: '1g', 'cuda.shares': '1' },
      },
      { domain: 'default', project: 'default', user: 'admin' },
    ),
    'admin',
  )
  await takePictures(chromiumBrowser, server)
}

for (const walk of walks) {
  const begin = Date.now()
  await walk(browser, fake).catch((error) => faults.push(`${walk.name}: ${error.message}`))
  console.log(`${walk.name}: ${((Date.now() - begin) / 1000).toFixed(1)} s`)
}
await browser.close()
fake.close()
faults.forEach((fault) => console.error(fault))
console.log(`pages: ${faults.length} faults; pictures in build/console_pages`)
process.exit(faults.length > 0 ? 1 : 0)
