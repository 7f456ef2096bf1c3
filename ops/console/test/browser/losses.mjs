// The dialog that ends sessions says which files end with them, and never keeps anybody from ending one.
import { startFake } from '../fake_server.mjs'
import { expect, folder, newPage, picture, signIn, startSessions } from './browser.mjs'

const WIDTHS = [1280, 390]

async function asked(page, name) {
  await page.getByRole('button', { name: `Terminate ${name}`, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Terminate ${name}?` })
  await dialog.waitFor()
  return dialog
}

export async function walkLosses(browser) {
  const fake = await startFake({ folder })
  fake.people.setPassword('admin', 'admin-secret')
  const page = await newPage(browser)
  const resources = { cpu: '0.1', mem: '67108864' }
  const names = ['lost', 'lost-cut', 'lost-silent', 'kept']
  for (const name of names) startSessions(fake, { name, image: 'python:3.11', resources })
  await signIn(page, fake, 'admin', 'admin-secret')

  const dialog = await asked(page, 'lost')
  await dialog.getByText('Files outside storage folders end with the session: 12 (48.64 MiB).').waitFor()
  await dialog.getByText('/home/work/모델/weights.bin').waitFor()
  await dialog.getByText('and 9 more').waitFor()
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    await picture(page, 'losses', width, 'light')
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  for (const [name, words] of [
    ['lost-cut', 'end with the session: at least 12 (48.64 MiB). Not all could be looked at.'],
    ['kept', 'No files outside storage folders end with the session.'],
    ['lost-silent', 'it cannot be asked now.'],
  ]) {
    const other = await asked(page, name)
    await other.getByText(words).waitFor()
    await other.getByRole('button', { name: 'Terminate' }).click()
    await page.getByRole('row', { name: new RegExp(`\\b${name}\\b.*RUNNING`) }).waitFor({ state: 'detached' })
  }
  expect(
    [...fake.cluster.tables.sessions.values()].some((one) => one.name === 'lost' && one.status === 'RUNNING'),
    'what was cancelled has ended',
  )
  await (await asked(page, 'lost')).getByRole('button', { name: 'Terminate' }).click()
  await page.getByRole('row', { name: /\blost\b.*RUNNING/ }).waitFor({ state: 'detached' })
  await page.context().close()
  fake.close()
}
