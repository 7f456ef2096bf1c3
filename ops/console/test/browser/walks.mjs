// What people do, step by step, found by roles and labels alone.
import { startFake } from '../fake_server.mjs'
import {
  comesTrue,
  expect,
  folder,
  launchWithoutFolder,
  newPage,
  picture,
  signIn,
  startSessions,
  tabTo,
  watchFaults,
} from './browser.mjs'

export async function walkStory(browser, fake) {
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
  expect(await page.getByRole('button', { name: 'LAUNCH' }).isDisabled(), 'what is refused can be launched')
  await page.getByRole('textbox', { name: 'CPU', exact: true }).fill('some')
  await page.getByText('Fix the marked fields first.').waitFor()
  await page.getByText('Left out, not valid yet: CPU').waitFor()
  await page.getByRole('textbox', { name: 'CPU', exact: true }).fill('1')
  await page.getByRole('textbox', { name: 'fGPU', exact: true }).fill('1')
  await page.getByText('2 would start now, 1 would wait').waitFor()
  await launchWithoutFolder(page)
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
  expect((await page.getByRole('checkbox').count()) === 0, 'what has ended can be selected')
  await page.getByRole('tab', { name: 'Live' }).click()

  await page.getByRole('button', { name: 'START' }).click()
  await page.getByRole('textbox', { name: 'fGPU', exact: true }).fill('2')
  await page.getByText('It would wait', { exact: true }).waitFor()
  await launchWithoutFolder(page)
  await page.getByRole('heading', { name: 'Why it waits' }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Terminate', exact: true }).click()
  await page
    .getByRole('dialog', { name: /^Terminate/ })
    .getByRole('button', { name: 'Terminate' })
    .click()
  await page.getByRole('dialog').getByText('CANCELLED').waitFor()
  await page.getByRole('tab', { name: 'Logs' }).click()
  await page.getByText('It ended before it started.').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Terminate many', exact: true }).click()
  await page.getByRole('heading', { name: 'Terminate 2 sessions?' }).waitFor()
  await page.getByRole('button', { name: 'Terminate 2 sessions' }).click()
  await page.getByRole('img', { name: 'fGPU in default: 0 / 2' }).waitFor()
  await page.context().close()
}

/** From the login to a running session and to its end, and no mouse. */
export async function walkKeyboard(browser, fake) {
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
  await tabTo(page, page.getByRole('button', { name: 'LAUNCH WITHOUT STORAGE FOLDER' }))
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
  await page.getByRole('link', { name: 'by-hand', exact: true }).waitFor({ state: 'detached' })
  await page.context().close()
}

/** Three tabs, one stream; it is cut, and nothing is missed; another person logs in in one, and all are theirs. */
export async function walkLive(browser, fake) {
  const first = await newPage(browser)
  await signIn(first, fake, 'admin', 'admin-secret')
  const tabs = [first]
  for (let count = 0; count < 2; count++) {
    tabs.push(watchFaults(await first.context().newPage()))
    await tabs.at(-1).goto(`${fake.origin}/#/sessions`)
  }
  await Promise.all(tabs.map((tab) => tab.getByRole('link', { name: 'notebook', exact: true }).waitFor()))
  expect(await comesTrue(() => fake.streams() === 1), `three tabs hold ${fake.streams()} streams`)

  const listings = fake.listings()
  const brief = startSessions(fake, { name: 'brief', resources: { cpu: '1' } })[0]
  await Promise.all(tabs.map((tab) => tab.getByRole('row', { name: /brief.*RUNNING/ }).waitFor()))
  fake.down(true)
  fake.cut()
  await Promise.all(tabs.map((tab) => tab.getByText('The connection to the server is lost').waitFor()))
  startSessions(fake, { name: 'while-away', resources: { cpu: '1' } })
  fake.cluster.end(fake.cluster.tables.sessions.get(brief.id), 'admin')
  fake.down(false)
  await Promise.all(tabs.map((tab) => tab.getByRole('row', { name: /while-away.*RUNNING/ }).waitFor()))
  await Promise.all(
    tabs.map((tab) => tab.getByText('The connection to the server is lost').waitFor({ state: 'detached' })),
  )

  await Promise.all(
    tabs.map((tab) => tab.getByRole('link', { name: 'brief', exact: true }).waitFor({ state: 'detached' })),
  )
  expect(fake.listings() === listings, 'a cut made the console read its lists again')

  await first.getByRole('button', { name: 'Log out' }).click()
  await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name: 'Log in' }).waitFor()))
  await signIn(first, fake, 'alice', 'alice-secret')
  await Promise.all(tabs.map((tab) => tab.getByText('Alice Kim').waitFor()))
  await Promise.all(tabs.map((tab) => tab.getByRole('link', { name: 'notebook', exact: true }).waitFor()))
  for (const tab of tabs) {
    expect((await tab.getByText('while-away').count()) === 0, 'alice sees a session of the admin')
    expect(
      (await tab.getByRole('link', { name: 'Admin', exact: true }).count()) === 0,
      'alice is shown Admin',
    )
  }
  await tabs[0].goto(`${fake.origin}/#/agents`)
  await tabs[0].getByText('Kernels: 1 (others’ 1)').waitFor()
  await tabs[1].goto(`${fake.origin}/#/admin/users`)
  await tabs[1].getByText('You do not have access to this page').waitFor()
  await picture(tabs[1], 'denied', 1280, 'light')
  expect(
    await comesTrue(() => fake.streams() === 1),
    `three tabs hold ${fake.streams()} streams after a new login`,
  )
  await first.context().close()
}

export async function walkAdmin(browser, fake) {
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
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByRole('row', { name: /bob/ }).waitFor()
  await page.getByRole('link', { name: 'Limits' }).click()
  await page.getByRole('button', { name: 'Set limit' }).click()
  await page.getByRole('textbox', { name: 'Applies to', exact: true }).fill('bob')
  await page.getByRole('textbox', { name: 'CPU', exact: true }).fill('4')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /bob.*4 CPU/ }).waitFor()
  await page.goto(`${fake.origin}/#/sessions?open=nonsense`)
  await page.getByRole('dialog', { name: 'Not found' }).waitFor()
  await page.goto(`${fake.origin}/#/account`)
  await page
    .getByRole('button', { name: /^Log out / })
    .first()
    .click()
  await page
    .getByRole('dialog', { name: /^Log out / })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await page.goto(`${fake.origin}/#/link/made-up`)
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor()
  expect((await page.getByText('not valid').count()) === 1, 'a link that is not valid is told more than once')
  await page.context().close()
}

/** Each page with something to read, and what it says after that where it is not there. */
const FAULTS = [
  ['#/sessions'],
  ['#/sessions?tab=finished'],
  ['#/storage'],
  ['#/agents'],
  ['#/queue'],
  ['#/events'],
  ['#/admin/users'],
  ['#/admin/limits'],
  ['#/admin/quarantine'],
  ['#/account'],
  ['#/sessions?open=7f7f7f7f-7f7f-4f7f-8f7f-7f7f7f7f7f7f', 'Not found'],
  ['#/events?open=999999-0', 'Not found'],
  ['#/link/made-up', 'This link is not valid'],
]
/** All but who is signed in, and what the frame of every page shows. */
const READS = /^\/v1\/(?!whoami|watch|groups|resource|slots)/
const RAW = /internal-error|unknown-|http-\d|Error:|\[object|undefined/

/** A server that fails is told of in words, with a way to try again; what is not there is Not found. */
export async function walkFaults(browser, fake) {
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  const told = page.getByText('The server could not answer').last()
  for (const [place, after] of FAULTS) {
    await page.goto('about:blank')
    fake.fault(READS)
    await page.goto(`${fake.origin}/${place}`)
    await told.waitFor()
    await expectWords(page, place)
    const again = page.getByRole('button', { name: 'Try again' }).last()
    expect(await again.isVisible(), `${place}: a fault of the server has no way to try again`)
    if (place === '#/queue') await picture(page, 'fault', 1280, 'light')
    fake.fault(null)
    // Live rows come again by themselves, before the click perhaps.
    await again.click({ timeout: 1_500 }).catch(() => undefined)
    await told.waitFor({ state: 'detached' })
    if (after) await page.getByText(after).first().waitFor()
  }
  for (const [place, words] of [
    ['#/sessions?open=nonsense', 'Not found'],
    ['#/events?open=nonsense', 'Not found'],
    ['#/events?session=nonsense', 'Not found'],
    ['#/admin/nonsense', 'There is no such page'],
    ['#/nowhere/at/all', 'There is no such page'],
    ['#/%', 'There is no such page'],
  ]) {
    await page.goto('about:blank')
    await page.goto(`${fake.origin}/${place}`)
    await page.getByText(words, { exact: true }).first().waitFor()
    await expectWords(page, place)
  }
  await page.context().close()
}

async function expectWords(page, place) {
  const raw = RAW.exec(await page.locator('body').innerText())
  expect(!raw, `${place} shows ${raw}`)
}

/** A large cluster's numbers are wide: the indicator stays in its line, whole, beside START, and says what its bars are. */
export async function walkIndicator(browser) {
  const fake = await startFake({ folder })
  fake.cluster.addAgent('big', { cpu: '4096', mem: '24t' }, [{ id: 'g', slots: { 'cuda.shares': '256' } }])
  fake.people.setPassword('admin', 'admin-secret')
  startSessions(fake, { name: 'big', resources: { cpu: '1020.5', mem: '1000g', 'cuda.shares': '12.5' } })
  for (const [locale, words] of [
    ['en', ['Upper bar', 'Lower bar']],
    ['ko', ['위 막대', '아래 막대']],
  ]) {
    const page = await newPage(browser, { locale })
    await page.goto(`${fake.origin}/#/`)
    await page.locator('input[name=username]').fill('admin')
    await page.locator('input[type=password]').fill('admin-secret')
    await page.locator('button[type=submit]').click()
    const bars = page.getByRole('banner').getByRole('listitem')
    await page
      .getByRole('img', { name: /: 1020.5/ })
      .first()
      .waitFor()
    for (const width of [1280, 1024, 800, 360]) {
      await page.setViewportSize({ width, height: 740 })
      await picture(page, `indicator-${locale}`, width, 'light')
      const start = await page.locator('.shell-start').boundingBox()
      const boxes = await Promise.all((await bars.all()).map((one) => one.boundingBox()))
      const tops = new Set(boxes.map(({ y }) => Math.round(y)))
      expect(tops.size === 1 || width < 1024, `the indicator at ${width} in ${locale} has ${tops.size} lines`)
      const crowds = boxes.some(({ x, y, width: w, height: h }) => {
        const beside = y < start.y + start.height && start.y < y + h
        return x + w > width || (beside && x + w > start.x - 8)
      })
      const overflows = (item) => item.scrollWidth > item.clientWidth + 1
      const over = (await Promise.all((await bars.all()).map((one) => one.evaluate(overflows)))).filter(
        Boolean,
      )
      expect(over.length === 0, `the indicator at ${width} in ${locale} has numbers that leave their place`)
      expect(!crowds, `the indicator at ${width} in ${locale} crowds START or leaves the window`)
    }
    for (const word of words)
      expect((await bars.last().getAttribute('title')).includes(word), `the indicator does not say: ${word}`)
    await page.context().close()
  }
  fake.close()
}

export async function walkKorean(browser, fake) {
  const page = await newPage(browser, { locale: 'ko' })
  await page.goto(`${fake.origin}/#/`)
  await page.getByRole('heading', { name: '로그인' }).waitFor()
  await page.getByLabel('사용자').fill('admin')
  await page.getByRole('textbox', { name: '비밀번호' }).fill('admin-secret')
  await page.getByRole('button', { name: '로그인' }).click()
  await page.getByRole('heading', { name: '세션' }).waitFor()
  await page.getByRole('link', { name: 'notebook', exact: true }).waitFor()
  await picture(page, 'sessions-korean', 1280, 'light')
  await page.getByRole('banner').getByRole('button', { name: '시작' }).click()
  await page.getByText('바로 시작합니다').waitFor()
  await picture(page, 'launch-korean', 1280, 'light')
  await page.context().close()
}
