// A session is shared, used by whom it is shared with, and taken back, against the FAKE server.
import { startFake } from '../fake_server.mjs'
import { expect, folder, newPage, picture, signIn } from './browser.mjs'

const button = (page, name) => page.getByRole('button', { name, exact: true })
const inDialog = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const row = (page) => page.getByRole('row', { name: /notebook/ })

export async function walkShares(browser) {
  const fake = await startFake({ folder })
  fake.people.add({ name: 'guest' })
  fake.people.setPassword('guest', 'guest-secret')
  const page = await newPage(browser)
  const guest = await newPage(browser)
  await signIn(page, fake, 'alice', 'alice-secret')
  await signIn(guest, fake, 'guest', 'guest-secret')
  await guest.getByText('No live sessions').waitFor()

  await page.getByRole('link', { name: 'notebook', exact: true }).click()
  await button(page, 'Share').click()
  await page.getByText('Not shared yet.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('nobody')
  await inDialog(page, 'Share').last().click()
  await page.getByText('There is no user nobody').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('guest')
  await inDialog(page, 'Share').last().click()
  await button(page, 'Withdraw the share of guest').waitFor()
  await picture(page, 'session-share', 1280, 'light')

  await row(guest).getByRole('img', { name: 'Shared with you by alice' }).waitFor()
  expect(/alice/.test(await row(guest).innerText()), 'a list with a shared session does not say whose it is')
  await row(guest).getByRole('button', { name: 'Apps of notebook' }).waitFor()
  await row(guest).getByRole('link', { name: 'Console of notebook' }).waitFor()
  expect((await button(guest, 'Terminate notebook').count()) === 0, 'a shared session may be ended by others')
  await guest.getByRole('link', { name: 'notebook', exact: true }).click()
  await guest.getByText('Shared with you by alice').waitFor()
  expect((await button(guest, 'Share').count()) === 0, 'a shared session may be shared further')
  await guest.keyboard.press('Escape')

  await button(page, 'Withdraw the share of guest').click()
  await page.getByText('Not shared yet.').waitFor()
  await guest.getByText('No live sessions').waitFor()
  await page.context().close()
  await guest.context().close()
  fake.close()
}
