// Folders of a REAL Berth, from New folder to the purge: node test/real/storage.mjs ORIGIN TOKENS
// TOKENS is JSON: login links' tokens for sam, whose folders these are, and uma of the same domain. There are containers and one volume.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { button, field, openBrowser, runSteps, setPassword } from './rig.mjs'
import { endSession, startSession } from './session.mjs'

const [server, tokens] = process.argv.slice(2)
const links = JSON.parse(tokens)
const browser = await openBrowser(server)
const sam = await browser.newPage({ viewport: { width: 1280, height: 800 } })
const uma = await browser.newPage({ viewport: { width: 1280, height: 800 } })

const MIB = 1 << 20
/** The browser sends 4 MiB at once. */
const CHUNK = 4 * MIB
const LARGE = bytesOf(9 * MIB, 7)
/** Of a size that many chunks are: it is cut in the middle. */
const LONG = bytesOf(48 * MIB, 11)

function bytesOf(size, seed) {
  return Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * seed + (at >> 8)) & 255))
}

const row = (page, name) => page.getByRole('row', { name })
const inDialog = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const uploadLine = (page, text) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: text })
const fileNamed = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer })
const choose = (page, files) => page.locator('input[type=file]').setInputFiles(files)
const none = (page, locator) => locator.waitFor({ state: 'detached' })

async function openStorage(page) {
  await page.getByRole('link', { name: 'Storage' }).first().click()
  await page.getByRole('heading', { name: 'Storage' }).waitFor()
}

async function openFolder(page, name) {
  await openStorage(page)
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('navigation', { name: 'Path' }).getByText(name, { exact: true }).waitFor()
}

async function bytesOfDownload(page, name) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name, exact: true }).click(),
  ])
  const pieces = []
  for await (const piece of await download.createReadStream()) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function expectSame(page, name, bytes) {
  if (!(await bytesOfDownload(page, name)).equals(bytes)) throw new Error(`${name} is fetched as another`)
}

async function expectNone(locator, what) {
  if ((await locator.count()) > 0) throw new Error(what)
}

async function share(page, folder, whom, access) {
  await button(page, `Share: ${folder}`).click()
  await page.getByRole('dialog').getByPlaceholder('Name').fill(whom)
  await page.getByRole('dialog').getByRole('combobox', { name: 'Access', exact: true }).selectOption(access)
  await inDialog(page, 'Share').click()
  await page.getByRole('combobox', { name: `Access of ${whom}` }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
}

await runSteps(
  {
    async 'a folder is made, and is READY by itself'() {
      await setPassword(sam, browser.origin, links.sam)
      await openStorage(sam)
      await sam.getByText('No folders yet').waitFor()
      await button(sam, 'New folder').click()
      await field(sam, 'Name').fill('data')
      await button(sam, 'Add').click()
      await row(sam, /data.*mine.*READY/).waitFor()
    },
    async 'a file is brought in chunks, listed, and fetched as it was'() {
      await openFolder(sam, 'data')
      await choose(sam, fileNamed('large.bin', LARGE))
      await uploadLine(sam, 'done, 9 MiB').waitFor()
      await row(sam, /large\.bin 9 MiB/).waitFor()
      await expectSame(sam, 'large.bin', LARGE)
    },
    async 'an upload that the network cuts says so, and goes on where it stood'() {
      const place = mkdtempSync(join(tmpdir(), 'berth-walk-'))
      try {
        writeFileSync(join(place, 'long.bin'), LONG)
        let chunks = 0
        browser.network.onRequest = ({ method }) => {
          if (method === 'PUT' && ++chunks === 5) browser.network.cut()
        }
        await choose(sam, join(place, 'long.bin'))
        await uploadLine(sam, /connection lost at (16|20) MiB; goes on by itself/).waitFor()
        await sam.getByText('The connection to the server is lost').waitFor()
        await expectNone(row(sam, /long\.bin/), 'half a file is listed')
        browser.network.onRequest = ({ method }) => method === 'PUT' && chunks++
        browser.network.mend()
        await uploadLine(sam, 'done, 48 MiB').waitFor()
        await sam.getByText('The connection to the server is lost').waitFor({ state: 'detached' })
        browser.faults.length = 0
        if (chunks > LONG.length / CHUNK + 2) throw new Error(`48 MiB took ${chunks} chunks`)
        await expectSame(sam, 'long.bin', LONG)
        return `${chunks} chunks for ${LONG.length / CHUNK}`
      } finally {
        browser.network.onRequest = () => undefined
        rmSync(place, { recursive: true })
      }
    },
    async 'a file is renamed, replaced and removed, and a folder within is made'() {
      await button(sam, 'Rename: long.bin').click()
      await field(sam, 'Name').fill('renamed.bin')
      await inDialog(sam, 'Save').click()
      await row(sam, /renamed\.bin 48 MiB/).waitFor()
      await choose(sam, fileNamed('renamed.bin', Buffer.from('small now')))
      await button(sam, 'Replace renamed.bin').click()
      await row(sam, /renamed\.bin 9 B/).waitFor()
      browser.faults.length = 0 // that it is there was refused
      await button(sam, 'Remove: renamed.bin').click()
      await inDialog(sam, 'Remove').click()
      await none(sam, row(sam, /renamed\.bin/))
      await button(sam, 'New folder').click()
      await field(sam, 'Name').fill('of today')
      await inDialog(sam, 'Add').click()
      await sam.getByRole('link', { name: 'of today', exact: true }).click()
      await sam.getByText('No files here').waitFor()
    },
    async 'a session that mounts it reads the file and writes another, which outlives it'() {
      const script = 'cd /home/work/data && wc -c < large.bin && echo hello > from-session.txt && sleep 1000'
      await startSession(sam, {
        name: 'with-data',
        environment: 'python',
        command: `sh -c '${script}'`,
        folders: ['data (mine)'],
      })
      await button(sam, 'Logs of with-data').click()
      await sam.getByRole('dialog').getByText(String(LARGE.length)).last().waitFor()
      await button(sam, 'Close').click()
      await openStorage(sam)
      await row(sam, /data.*with-data/).waitFor()
      await button(sam, 'Move to the trash: data').click()
      await sam.getByText('These sessions mount it; it can go once they have ended: with-data').waitFor()
      if (!(await inDialog(sam, 'Move to the trash').isDisabled())) throw new Error('a mounted folder may go')
      await inDialog(sam, 'Cancel').click()
      await endSession(sam, 'with-data')
      await openFolder(sam, 'data')
      await row(sam, /from-session\.txt 6 B/).waitFor()
      await expectSame(sam, 'from-session.txt', Buffer.from('hello\n'))
    },
    async 'another sees it once it is shared, and no more than is shared'() {
      await setPassword(uma, browser.origin, links.uma)
      await openStorage(uma)
      await uma.getByText('No folders yet').waitFor()
      await openStorage(sam)
      await share(sam, 'data', 'uma', 'read')
      await row(sam, /data.*uma \(read only\)/).waitFor()
      await row(uma, /data.*sam.*READY.*read only/).waitFor()
      for (const act of ['Rename', 'Share', 'Move to the trash'])
        await expectNone(button(uma, `${act}: data`), `uma may ${act} what is not hers`)
      await openFolder(uma, 'data')
      await expectSame(uma, 'from-session.txt', Buffer.from('hello\n'))
      for (const act of ['Upload', 'New folder', 'Remove: large.bin'])
        await expectNone(button(uma, act), `${act} is offered to one who may only read`)
      await button(sam, 'Share: data').click()
      await sam.getByRole('combobox', { name: 'Access of uma' }).selectOption('write')
      await row(sam, /data.*uma(?! \(read only\))/).waitFor()
      await uma.reload()
      await button(uma, 'Upload').waitFor()
      await choose(uma, fileNamed('of-uma.txt', Buffer.from('by uma')))
      await row(uma, /of-uma\.txt 6 B/).waitFor()
    },
    async 'a share that is withdrawn ends what one sees'() {
      await button(sam, 'Withdraw the share of uma').click()
      await sam.getByText('Not shared yet.').waitFor()
      await sam.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
      await uma.reload()
      await uma.getByText('Not found').waitFor()
      await openStorage(uma)
      await uma.getByText('No folders yet').waitFor()
      browser.faults.length = 0 // hers were refused
    },
    async 'it is renamed, thrown away, brought back and removed for good'() {
      await button(sam, 'Rename: data').click()
      await field(sam, 'Name').fill('results')
      await button(sam, 'Save').click()
      await row(sam, /results.*READY/).waitFor()
      await button(sam, 'Move to the trash: results').click()
      await inDialog(sam, 'Move to the trash').click()
      await none(sam, row(sam, /results/))
      await sam.getByRole('tab', { name: /Trash/ }).click()
      await button(sam, 'Restore: results').click()
      await inDialog(sam, 'Restore').click()
      await none(sam, row(sam, /results/))
      await sam.getByRole('tab', { name: /Folders/ }).click()
      await openFolder(sam, 'results')
      await row(sam, /of-uma\.txt 6 B/).waitFor()
      await openStorage(sam)
      await button(sam, 'Move to the trash: results').click()
      await inDialog(sam, 'Move to the trash').click()
      await sam.getByRole('tab', { name: /Trash/ }).click()
      await button(sam, 'Remove for good: results').click()
      await field(sam, 'Type results to confirm').fill('results')
      await inDialog(sam, 'Remove for good').click()
      await none(sam, row(sam, /results/))
      await sam.getByText('The trash is empty').waitFor()
    },
  },
  browser,
)
