// A producer is let in, gets another key, is switched off and revoked, against the FAKE server.
import { startFake } from '../fake_server.mjs'
import { expect, folder, newPage, picture, signIn } from './browser.mjs'

const button = (page, name) => page.getByRole('button', { name, exact: true })

export async function walkProducers(browser) {
  const fake = await startFake({ folder })
  fake.people.setPassword('admin', 'admin-secret')
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  await page.goto(`${fake.origin}/#/admin/producers`)
  await page.getByText('A producer is a program of yours').waitFor()
  await button(page, 'Add producer').click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('web')
  await page.getByRole('textbox', { name: 'May ask' }).fill('Nonsense')
  await page.getByRole('textbox', { name: 'For whom' }).fill('project:default/vision')
  await button(page, 'Add').click()
  await page.getByText('Nonsense is no kind of request').first().waitFor()
  await picture(page, 'add-producer', 1280, 'light')
  await page.getByRole('textbox', { name: 'May ask' }).fill('request_session\nterminate_session')
  await button(page, 'Add').click()
  const dialog = page.getByRole('dialog', { name: 'Token for web' })
  const [token] = /[0-9a-f]{64}/.exec(await dialog.innerText()) ?? []
  expect(token && fake.producers.hashes.has('web'), 'a new producer has no token')
  expect(![...fake.producers.hashes.values()].includes(token), 'the server is told the token itself')
  await button(page, 'I have saved it').click()
  await page
    .getByRole('row', { name: /web.*request_session, terminate_session.*project:default\/vision/ })
    .waitFor()
  const before = fake.producers.hashes.get('web')
  await button(page, 'New key: web').click()
  await button(page, 'New key').click()
  await page.getByRole('dialog', { name: 'Token for web' }).waitFor()
  await button(page, 'I have saved it').click()
  expect(fake.producers.find('web').generation === 2, 'a new key is no new generation')
  expect(fake.producers.hashes.get('web') !== before, 'a new key has the old token')
  await button(page, 'Edit: web').click()
  await page.getByRole('checkbox', { name: 'Disabled' }).check()
  await button(page, 'Save').click()
  await page.getByRole('row', { name: /web.*Disabled/ }).waitFor()
  await button(page, 'Revoke: web').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('A producer is a program of yours').waitFor()
  await page.context().close()

  const watcher = await newPage(browser)
  await signIn(watcher, fake, 'watcher', 'watcher-secret')
  await watcher.goto(`${fake.origin}/#/admin/producers`)
  await watcher.getByText('A producer is a program of yours').waitFor()
  expect((await button(watcher, 'Add producer').count()) === 0, 'a monitor is offered to add a producer')
  await watcher.context().close()
  fake.close()
}
