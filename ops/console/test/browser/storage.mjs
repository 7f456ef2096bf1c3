// Folders in the console: the Storage page, what a session mounts, and files.
import { expect, looks, newPage, picture, signIn, startSessions } from './browser.mjs'

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
    cli: '--mount data:ro',
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
  await page.waitForURL(/#\/storage\/[0-9a-f]{32}$/)
  await page.context().close()
}

const MIB = 1 << 20
const bytesOf = (size, seed) =>
  Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * seed + (at >> 8)) & 255))
const choose = (page, files) => page.locator('input[type=file]').setInputFiles(files)
const fileNamed = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer })
const uploadLine = (page, text) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: text })

async function bytesOfDownload(page, name) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name, exact: true }).click(),
  ])
  const pieces = []
  for await (const piece of await download.createReadStream()) pieces.push(piece)
  return { name: download.suggestedFilename(), bytes: Buffer.concat(pieces) }
}

/** Files are brought, fetched, renamed and removed; an upload outlives a cut, and one who may only read changes nothing. */
export async function walkFiles(browser, fake) {
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  await page.getByRole('link', { name: 'Storage' }).click()
  await page.getByRole('link', { name: 'models', exact: true }).click()
  await row(page, /weights\.bin 3 MiB/).waitFor()
  await row(page, /socket \(neither file nor folder\)/).waitFor()

  await button(page, 'New folder').click()
  await field(page, 'Name').fill('runs')
  await inDialog(page, 'Add').click()
  await page.getByText('There is runs already').waitFor()
  await field(page, 'Name').fill('of today')
  await inDialog(page, 'Add').click()
  await page.getByRole('link', { name: 'of today', exact: true }).click()
  await page.getByText('No files here').waitFor()

  const large = bytesOf(9 * MIB, 7)
  const chunks = fake.folders.chunks
  fake.cutUploads(Infinity)
  await choose(page, fileNamed('large.bin', large))
  await uploadLine(page, /connection lost at .*; goes on by itself/).waitFor()
  fake.cutUploads(0)
  await uploadLine(page, 'done, 9 MiB').waitFor()
  expect(fake.folders.chunks === chunks + 3, `9 MiB took ${fake.folders.chunks - chunks} chunks, not 3`)
  await row(page, /large\.bin 9 MiB/).waitFor()
  const fetched = await bytesOfDownload(page, 'large.bin')
  expect(
    fetched.name === 'large.bin' && fetched.bytes.equals(large),
    'a file is fetched as another than it was brought',
  )

  await choose(page, fileNamed('large.bin', Buffer.from('small now')))
  await button(page, 'Replace of today/large.bin').click()
  await row(page, /large\.bin 9 B/).waitFor()
  await button(page, 'Clear finished').click()
  await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' })

  fake.down(true)
  await choose(page, fileNamed('never.bin', large))
  await button(page, 'Cancel of today/never.bin').click()
  await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' })
  fake.down(false)
  await page.getByText('The connection to the server is lost').waitFor({ state: 'detached' })

  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['dropped here'], 'dropped.txt'))
    return data
  })
  await page.locator('#main .page').dispatchEvent('dragover', { dataTransfer: transfer })
  await page.locator('#main .page').dispatchEvent('drop', { dataTransfer: transfer })
  await row(page, /dropped\.txt 12 B/).waitFor()

  await button(page, 'Rename: dropped.txt').click()
  await field(page, 'Name').fill('a/b')
  await page.getByText('A name has no /').waitFor()
  await field(page, 'Name').fill('kept.txt')
  await inDialog(page, 'Save').click()
  await row(page, /kept\.txt/).waitFor()
  await button(page, 'Remove: large.bin').click()
  await inDialog(page, 'Remove').click()
  await row(page, /large\.bin/).waitFor({ state: 'detached' })
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'models' }).click()
  await button(page, 'Remove: of today').click()
  await page.getByText('The folder and everything in it are deleted').waitFor()
  await inDialog(page, 'Remove').click()
  await row(page, /of today/).waitFor({ state: 'detached' })

  await page.goto(`${fake.origin}/#/storage`)
  await page.getByRole('link', { name: 'data', exact: true }).click()
  await row(page, /readme\.txt/).waitFor()
  for (const name of ['Upload', 'New folder', 'Rename: readme.txt', 'Remove: readme.txt'])
    expect((await button(page, name).count()) === 0, `${name} is offered to one who may only read`)
  expect(
    (await bytesOfDownload(page, 'readme.txt')).bytes.toString() === 'what is here',
    'a shared file is another',
  )
  await page.context().close()
}

/** A folder with several hundred files is read as far as one scrolls; a place that is not there is Not found. */
export async function walkManyFiles(browser, fake) {
  const many = fake.folders.add({ domain: 'default', user: 'admin' }, 'many-files')
  many.notUtf8 = 2
  for (let n = 0; n < 1_200; n++) fake.folders.put(many, `f${String(n).padStart(4, '0')}`, 'x')
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  await page.goto(`${fake.origin}/#/storage/${many.id}`)
  await row(page, /^f0000/).waitFor()
  const table = page.getByRole('region', { name: 'Files of many-files' })
  const until = Date.now() + 30_000
  while ((await row(page, /^f1199/).count()) === 0 && Date.now() < until) {
    await table.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await page.waitForTimeout(50)
  }
  await row(page, /^f1199/).waitFor()
  await page.getByText('Not shown, as their names are not UTF-8: 2', { exact: true }).waitFor()
  await page.goto(`${fake.origin}/#/storage/${many.id}?path=nowhere`)
  await page.getByText('Not found').waitFor()
  await page.goto(`${fake.origin}/#/storage/${'0'.repeat(32)}`)
  await page.getByText('Not found').waitFor()
  fake.folders.rows.delete(many.id)
  await page.context().close()
}

const ALL_LOOKS = [
  { width: 1280, theme: 'light', locale: 'en' },
  { width: 1280, theme: 'dark', locale: 'en' },
  { width: 360, theme: 'light', locale: 'ko' },
  { width: 360, theme: 'dark', locale: 'en' },
]
const LOOKS = looks(ALL_LOOKS, [ALL_LOOKS[0], ALL_LOOKS[2]])

/** The files of a folder and uploads that are refused or cut, in each look. */
export async function takeFilePictures(browser, fake) {
  const folder = [...fake.folders.rows.values()].find(({ name }) => name === 'models')
  for (const look of LOOKS) {
    const { width, theme, locale } = look
    const page = await newPage(browser, look)
    await page.goto(`${fake.origin}/#/storage/${folder.id}`)
    await page.locator('input[name=username]').fill('admin')
    await page.locator('input[type=password]').fill('admin-secret')
    await page.locator('button[type=submit]').click()
    await page.getByRole('link', { name: 'weights.bin', exact: true }).waitFor()
    fake.cutUploads(Infinity)
    await choose(page, [
      fileNamed('notes.txt', Buffer.from('another')),
      fileNamed('..', Buffer.from('x')),
      fileNamed('a-measurement-of-2026-11-23-with-a-long-name.csv', bytesOf(5 * MIB, 3)),
    ])
    const line = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('progressbar') })
      .nth(2)
    await line.getByText(/connection lost|연결 끊김/).waitFor()
    await picture(page, `files-${locale}`, width, theme)
    await page.goto(`${fake.origin}/#/storage/${folder.id}?path=runs`)
    await page.getByRole('link', { name: 'first.log', exact: true }).waitFor()
    await picture(page, `files-inside-${locale}`, width, theme)
    await page.context().close()
    fake.cutUploads(0)
  }
}
