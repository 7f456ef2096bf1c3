// Pages are put into the past, moved through it, shared by a link, and compared, against the FAKE server.
import { startFake } from '../fake_server.mjs'
import { expect, folder, newPage, picture, signIn, startSessions, watchFaults } from './browser.mjs'

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const button = (page, name) => page.getByRole('button', { name, exact: true })
const link = (page, name) => page.getByRole('link', { name, exact: true })
const nav = (page, name) =>
  page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name })
const banner = (page) => page.getByRole('region', { name: 'The past' })

/** Three sessions run; one has ended since `mark`. */
async function begin(browser) {
  const fake = await startFake({ folder })
  fake.people.setPassword('admin', 'admin-secret')
  const [gone] = startSessions(fake, { name: 'gone', resources: { cpu: '3' } })
  await pause(900)
  const mark = new Date().toISOString()
  await pause(50)
  fake.cluster.end(fake.cluster.tables.sessions.get(gone.id), 'admin')
  await pause(600)
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  return { fake, page, gone, mark }
}

export async function walkPast(browser) {
  const { fake, page, gone, mark } = await begin(browser)
  await link(page, 'notebook').waitFor()
  expect((await link(page, 'gone').count()) === 0, 'what has ended is among the live sessions')
  await showThen(page, fake, mark)
  await stepAndPlay(page, fake)
  await shareLink(page, fake, gone, mark)
  await compare(page, fake, mark)
  await refuse(page, fake)
  await page.context().close()
  await seeAsUser(browser, fake, mark)
  fake.close()
}

/** Sessions, agents and the indicator of then; no stream is applied, nothing can be done, and what has no past is grey. */
async function showThen(page, fake, mark) {
  await page.goto(`${fake.origin}/#/sessions?at=${mark}`)
  await page.getByRole('row', { name: /gone.*RUNNING.*3 CPU/ }).waitFor()
  await banner(page).getByText('As it was on').waitFor()
  await page.getByRole('img', { name: 'CPU in default: 3 /' }).waitFor()
  startSessions(fake, { name: 'later', resources: { cpu: '0.1' } })
  await pause(700)
  expect((await link(page, 'later').count()) === 0, 'a live stream is applied to the past')
  for (const name of ['START', 'Terminate gone', 'Logs of gone'])
    expect((await button(page, name).count()) === 0, `the past offers ${name}`)
  await link(page, 'gone').click()
  await page.getByRole('dialog').getByText('RUNNING').first().waitFor()
  expect(
    (await page.getByRole('tab', { name: 'Logs' }).count()) === 0,
    'a session of the past shows its log of now',
  )
  await button(page, 'Close').click()
  for (const name of ['Usage', 'Operations', 'My account']) {
    const greyed = nav(page, name)
    expect((await greyed.getAttribute('aria-disabled')) === 'true', `${name} is not grey in the past`)
  }
  await nav(page, 'Agents').click()
  await page.getByRole('heading', { name: 'Agents' }).waitFor()
  expect(page.url().includes(`at=`), 'who goes to another page leaves the past')
  await page.getByRole('img', { name: /^CPU: 5 / }).waitFor()
  expect(
    (await page.getByRole('button', { name: /^Drain/ }).count()) === 0,
    'an agent of the past can be drained',
  )
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await picture(page, 'past-agents', width, 'light')
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await button(page, 'Back to now').click()
  await banner(page).waitFor({ state: 'detached' })
  await nav(page, 'Sessions').click()
  await link(page, 'later').waitFor()
}

const whenOf = async (page) => /As it was on .*\d/.exec(await banner(page).innerText())?.[0]

/** By keyboard alone: the slider, the step, the play; a busy server is asked again. */
async function stepAndPlay(page, fake) {
  await nav(page, 'Time').click()
  const slider = page.getByRole('slider', { name: 'Moment' })
  await slider.focus()
  fake.busyPast(2)
  for (let count = 0; count < 4; count++) await page.keyboard.press('PageDown')
  await banner(page).getByText('As it was on').waitFor()
  expect(
    await slider.evaluate((one) => one === document.activeElement),
    'the slider loses the focus as it moves',
  )
  await page.keyboard.press('Home')
  await page.getByText('No live sessions').waitFor()
  const before = await whenOf(page)
  await button(page, 'Event after').focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => /at=\d+$/.test(location.hash))
  await page.getByRole('combobox', { name: 'Speed of playing' }).selectOption('1')
  await button(page, 'Play').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'What there was' }).getByText('RUNNING').waitFor()
  await button(page, 'Pause').click()
  expect((await whenOf(page)) !== before, 'play does not move the moment')
  const moments = fake.moments.size
  await slider.focus()
  for (let count = 0; count < 60; count++) await page.keyboard.press('ArrowLeft')
  await pause(300)
  expect(
    fake.moments.size - moments < 40,
    `60 moves of the slider asked for ${fake.moments.size - moments} moments`,
  )
  await button(page, 'Back to now').click()
}

/** What one sees, another sees who opens the same address. */
async function shareLink(page, fake, gone, mark) {
  await page.goto(`${fake.origin}/#/sessions?at=${mark}&open=${gone.id}`)
  const other = watchFaults(await page.context().newPage())
  await other.goto(page.url())
  await other.getByRole('dialog').getByText('RUNNING').first().waitFor()
  await other.close()
}

async function compare(page, fake, mark) {
  await page.goto(`${fake.origin}/#/time`)
  await page.getByRole('textbox', { name: 'From', exact: true }).fill(mark)
  await button(page, 'Compare').click()
  const changes = page.getByRole('list', { name: 'What changed between two moments' })
  const ended = changes.getByRole('listitem').filter({ hasText: /changed\s*session\s*gone/ })
  await ended.getByText('TERMINATED').first().waitFor()
  await ended.getByText('SessionTerminated').waitFor()
  await changes
    .getByRole('listitem')
    .filter({ hasText: /new\s*session\s*later/ })
    .first()
    .waitFor()
  await picture(page, 'time-diff', 1280, 'light')
  await page.goto(`${fake.origin}/#/time?from=${new Date().toISOString()}&to=${mark}`)
  await page.getByText('From is after to').waitFor()
}

async function refuse(page, fake) {
  for (const [at, words] of [
    ['yesterday', 'neither a position nor a time with its zone'],
    ['2000-01-01T00:00:00Z', 'is before the first record'],
    ['2999-01-01T00:00:00Z', 'is in the future'],
    ['999999999', 'is after the last record'],
  ]) {
    await page.goto('about:blank')
    await page.goto(`${fake.origin}/#/sessions?at=${at}`)
    await banner(page).getByText(words).waitFor()
    await button(page, 'Back to now').click()
    await link(page, 'notebook').waitFor()
  }
}

/** Today's rights: a user sees what is theirs, of then. */
async function seeAsUser(browser, fake, mark) {
  const page = await newPage(browser, { width: 360 })
  await signIn(page, fake, 'alice', 'alice-secret')
  await page.goto(`${fake.origin}/#/sessions?at=${mark}`)
  await page.getByRole('row', { name: /notebook.*RUNNING/ }).waitFor()
  expect((await link(page, 'gone').count()) === 0, 'a user sees what is another’s in the past')
  await page.goto(`${fake.origin}/#/time?at=${mark}`)
  await page.getByText('RUNNING').first().waitFor()
  await page.getByRole('button', { name: 'Event before' }).click()
  await page.waitForFunction(() => /at=\d+$/.test(location.hash))
  await page.context().close()
}
