// What operators look at, against the FAKE server.
import { readFileSync } from 'node:fs'
import { startFake } from '../fake_server.mjs'
import { expect, folder, newPage, signIn } from './browser.mjs'

const button = (page, name) => page.getByRole('button', { name, exact: true })
const nav = (page, name) =>
  page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name })

export async function walkOperators(browser) {
  const fake = await startFake({ folder })
  fake.people.setPassword('admin', 'admin-secret')
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  await readUsage(page)
  await readOperations(page, fake)
  await page.context().close()

  const user = await newPage(browser)
  await signIn(user, fake, 'alice', 'alice-secret')
  expect((await nav(user, 'Operations').count()) === 0, 'a user is offered Operations')
  await user.goto(`${fake.origin}/#/operations`)
  await user.getByText('You do not have access to this page').waitFor()
  await user.context().close()
  fake.close()
}

async function readUsage(page) {
  await nav(page, 'Usage').click()
  await page.getByRole('img', { name: /^CPU: alice/ }).waitFor()
  const table = page.getByRole('region', { name: 'Totals' })
  const hours = await table.getByRole('row', { name: /^alice / }).innerText()
  await page.getByRole('tab', { name: 'Exact seconds' }).click()
  expect((await table.getByRole('row', { name: /^alice / }).innerText()) !== hours, 'exact seconds are hours')
  const row = (await table.getByRole('row', { name: /^alice / }).innerText()).split(/\s+/)
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'CSV').click()])
  const lines = readFileSync(await download.path(), 'utf8').split('\n')
  expect(
    lines[0] === 'user,sessions,cpu_seconds,mem_seconds,cuda.shares_seconds',
    `a CSV begins with ${lines[0]}`,
  )
  expect(
    lines.some((line) => line.split(',').join(' ') === row.slice(0, 5).join(' ')),
    'the CSV has other totals than the table',
  )
  await page.getByRole('combobox', { name: 'Added up by' }).selectOption('device')
  await table.getByRole('row', { name: /^b1\/gpu0 / }).waitFor()
  await page.getByRole('combobox', { name: 'Window' }).selectOption('month')
  await page.waitForFunction(
    () => location.hash.includes('window=month') && location.hash.includes('by=device'),
  )
  await page.goto(page.url().replace(/window=month/, 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'))
  await page.getByText('From is not before to').waitFor()
}

async function verifyLog(page) {
  const card = page.getByRole('region', { name: 'Proof of the log' })
  await card.getByText('40-0').waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save head').click()])
  expect(
    JSON.parse(readFileSync(await download.path(), 'utf8')).position === '40-0',
    'the head that is saved is none',
  )
  await button(page, 'Verify').click()
  await card.getByText('Nothing was changed: 40 records').waitFor()
  await button(page, 'Verify').click()
  await card.getByText('The log does not hold from 17-0 on').waitFor()
}

async function readOperations(page, fake) {
  await nav(page, 'Operations').click()
  await page.getByRole('region', { name: 'Leader' }).getByText('controller-0').waitFor()
  await page.getByRole('img', { name: /half within.*request, from HTTP .* ms, wait in the queue/ }).waitFor()
  await page.getByRole('figure').filter({ hasText: 'of_tomorrow' }).waitFor()
  await page.getByRole('row', { name: /a2.*21.5 s \(late\)/ }).waitFor()
  await verifyLog(page)
  await page.getByText('epoch 7, since 2 hr. ago').waitFor()
  await page.getByRole('combobox', { name: 'Window' }).selectOption('5m')
  await page.getByText('epoch 7, before the first sample').waitFor()
  fake.fault(/operations/)
  await page.getByText('The server does not answer').waitFor()
  fake.fault(null)
  await page.getByText('The server does not answer').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Inputs held: 1' }).click()
  await page.getByText('requests/0@17').waitFor()
}
