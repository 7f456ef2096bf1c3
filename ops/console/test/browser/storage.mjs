// Folders in the console: the Storage page, what a session mounts, and files.
import { expect, newPage, picture, signIn, startSessions } from './browser.mjs'

const button = (page, name) => page.getByRole('button', { name, exact: true })
const field = (page, name) => page.getByRole('textbox', { name, exact: true })
const row = (page, name) => page.getByRole('row', { name })
const inDialog = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true })

/** A folder is made, renamed, shared, thrown away, brought back and removed for good. */
export async function walkStorage(browser, fake) {
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  await page.getByRole('link', { name: 'Storage' }).click()
  await row(page, /too-large.*FAILED.*the volume local has no room left/).waitFor()
  await row(page, /data.*alice.*READY.*read only/).waitFor()
  expect(
    (await page.getByRole('button', { name: 'Rename: data' }).count()) === 0,
    'a folder of alice may be renamed by whom it is shared with',
  )

  await button(page, 'New folder').click()
  await field(page, 'Name').fill('models')
  await button(page, 'Add').click()
  await page.getByText('there is a folder models already').first().waitFor()
  await field(page, 'Name').fill('fresh')
  await button(page, 'Add').click()
  await row(page, /fresh.*mine.*local.*CREATING/).waitFor()
  await row(page, /fresh.*mine.*local.*READY/).waitFor()

  await button(page, 'Rename: fresh').click()
  await field(page, 'Name').fill('results')
  await button(page, 'Save').click()
  await row(page, /results.*READY/).waitFor()
  expect((await row(page, /fresh/).count()) === 0, 'a folder is still shown by its old name')

  await button(page, 'Share: results').click()
  await field(page, 'Name').fill('nobody')
  await inDialog(page, 'Share').click()
  await page.getByText('There is no user nobody').waitFor()
  await field(page, 'Name').fill('alice')
  await inDialog(page, 'Share').click()
  await page.getByRole('combobox', { name: 'Access of alice' }).selectOption('read and write')
  await row(page, /results.*alice(?! \(read only\))/).waitFor()
  const alice = await newPage(browser)
  await signIn(alice, fake, 'alice', 'alice-secret')
  await alice.getByRole('link', { name: 'Storage' }).click()
  await row(alice, /results.*admin.*read and write/).waitFor()
  expect((await row(alice, /too-large/).count()) === 0, 'alice sees a folder that is not shared with her')
  await inDialog(page, 'Withdraw the share of alice').click()
  await page.getByText('Not shared yet.').waitFor()
  await row(alice, /results/).waitFor({ state: 'detached' })
  await alice.context().close()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

  const folder = [...fake.folders.rows.values()].find(({ name }) => name === 'results')
  const [session] = startSessions(fake, { name: 'mounting', resources: { cpu: '1' } })
  const mounts = [{ folder: { id: folder.id, name: folder.name }, target: 'results', read_only: false }]
  fake.cluster.change(fake.cluster.tables.sessions.get(session.id), { mounts })
  await row(page, /results.*mounting/).waitFor()
  await button(page, 'Move to the trash: results').click()
  await page.getByText('These sessions mount it; it can go once they have ended: mounting').waitFor()
  expect(await inDialog(page, 'Move to the trash').isDisabled(), 'a mounted folder may be thrown away')
  await inDialog(page, 'Cancel').click()
  await button(page, 'Move to the trash: results').waitFor()
  fake.cluster.end(fake.cluster.tables.sessions.get(session.id), 'admin')
  await row(page, /results.*mounting/).waitFor({ state: 'detached' })

  await button(page, 'Move to the trash: results').click()
  await inDialog(page, 'Move to the trash').click()
  await row(page, /results/).waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: /Trash/ }).click()
  await button(page, 'Restore: results').click()
  await field(page, 'Name').fill('models')
  await inDialog(page, 'Restore').click()
  await page.getByText('there is a folder models already').first().waitFor()
  await field(page, 'Name').fill('results')
  await inDialog(page, 'Restore').click()
  await row(page, /results/).waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: /Folders/ }).click()
  await button(page, 'Move to the trash: results').click()
  await inDialog(page, 'Move to the trash').click()
  await row(page, /results/).waitFor({ state: 'detached' })

  await page.getByRole('tab', { name: /Trash/ }).click()
  await button(page, 'Remove for good: results').click()
  await field(page, 'Type results to confirm').fill('result')
  expect(await inDialog(page, 'Remove for good').isDisabled(), 'half a name removes a folder')
  await field(page, 'Type results to confirm').fill('results')
  await inDialog(page, 'Remove for good').click()
  await row(page, /results.*PURGING/).waitFor()
  await row(page, /results/).waitFor({ state: 'detached' })
  await page.context().close()
}

/** What is mounted is chosen at START, is in every copy of the request, and stands in the session. */
export async function walkMounts(browser, fake) {
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  await button(page, 'START').click()
  await button(page, 'LAUNCH').click()
  await page.getByText('ends with it: files that you write there are lost').waitFor()
  await page.keyboard.press('Escape')
  await button(page, 'LAUNCH WITHOUT STORAGE FOLDER').waitFor({ state: 'detached' })
  await field(page, 'Name').fill('with-folders')
  await button(page, 'Mount a folder').click()
  await page.getByRole('combobox', { name: 'Folder 1' }).selectOption('data (alice)')
  const reads = page.getByRole('checkbox', { name: 'Folder 1 read only' })
  expect(await reads.isChecked(), 'a folder that may only be read would be mounted to write to')
  expect(await reads.isDisabled(), 'read only can be switched off without the right to write')
  await button(page, 'Mount a folder').click()
  await page.getByRole('combobox', { name: 'Folder 2' }).selectOption('models (mine)')
  await field(page, 'Path of folder 2 in the session').fill('data')
  await page.getByText('Two folders have the same path').waitFor()
  expect(await button(page, 'LAUNCH').isDisabled(), 'two folders can have one path')
  await field(page, 'Path of folder 2 in the session').fill('.ssh')
  await page.getByText(/^A path is one name/).waitFor()
  await field(page, 'Path of folder 2 in the session').fill('weights')
  await page.getByText('It would start now').waitFor()
  const copied = {
    cli: '--mount data:data:ro',
    curl: '"target":"weights"',
    yaml: '{"folder":"models","target":"weights"}',
  }
  for (const [form, text] of Object.entries({ CLI: copied.cli, curl: copied.curl, YAML: copied.yaml })) {
    await page.getByRole('tab', { name: form, exact: true }).click()
    const shown = await page.getByLabel(form, { exact: true }).last().innerText()
    expect(shown.includes(text), `the copy as ${form} lacks ${text}`)
  }
  await button(page, 'LAUNCH').click()
  await page.getByText('ready on').waitFor()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByText('/home/work/data').waitFor()
  await page.getByText('/home/work/weights').waitFor()
  await picture(page, 'drawer-mounts', 1280, 'light')
  await page.getByRole('dialog').getByRole('link', { name: 'data' }).click()
  await page.getByRole('heading', { name: 'Storage' }).waitFor()
  await page.context().close()
}
