// An agent or an API server is killed alone under what a person does, on a REAL Berth of both on Kafka: node test/real/kills.mjs ORIGIN LINK_TOKEN
// Asks for `kill agent`, `start agent` and `restart server` by lines on stdout, and waits for a line on stdin.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askFor, button, field, openBrowser, runSteps, setPassword } from './rig.mjs'
import { isConnected, openConsole, shows, startSession, typeLine } from './session.mjs'

const [server, token] = process.argv.slice(2)
const browser = await openBrowser(server)
const page = await browser.newPage()
page.setDefaultTimeout(120_000)

const MIB = 1 << 20
const LONG = 48
let terminal = null

const uploadLine = (text) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: text })

await runSteps(
  {
    async 'a session with a folder runs, and a terminal is open'() {
      await setPassword(page, browser.origin, token)
      await page.getByRole('link', { name: 'Storage' }).click()
      await button(page, 'New folder').click()
      await field(page, 'Name').fill('data')
      await button(page, 'Add').click()
      await page.getByRole('row', { name: /data.*READY/ }).waitFor()
      await startSession(page, { name: 'work', environment: 'python', folders: ['data (mine)'] })
      terminal = await openConsole(page, 'work')
      await typeLine(terminal, 'KEPT=kept; echo begin-$((40 + 2))')
      await shows(terminal, 'begin-42')
    },
    async 'the agent is killed: the terminal says that it is cut, and is the same shell once the agent is back'() {
      await typeLine(terminal, 'for n in 1 2 3 4; do sleep 1; echo while-$n-away; done')
      await shows(terminal, /^while-1-away/) // keys that are on their way go with the agent
      await askFor(browser, 'kill agent')
      await terminal.getByText('disconnected', { exact: true }).waitFor()
      await page.getByRole('row', { name: /work.*RUNNING/ }).waitFor()
      await askFor(browser, 'start agent')
      await terminal.getByText(/^Reconnected/).waitFor()
      await isConnected(terminal)
      await shows(terminal, /^while-4-away/)
      await typeLine(terminal, 'echo $KEPT-after-the-agent')
      await shows(terminal, 'kept-after-the-agent')
    },
    async 'the API server is killed: the console and the terminal say so, and find all as it was'() {
      await askFor(browser, 'restart server')
      await terminal.getByText(/^Reconnected/).waitFor()
      await typeLine(terminal, 'echo $KEPT-after-the-server')
      await shows(terminal, 'kept-after-the-server')
      await page.getByText('The connection to the server is lost').waitFor({ state: 'detached' })
      await page.getByRole('row', { name: /work.*RUNNING/ }).waitFor()
      browser.faults.length = 0
    },
    async 'the agent is killed in the middle of an upload, which goes on where it stood'() {
      const place = mkdtempSync(join(tmpdir(), 'berth-walk-'))
      writeFileSync(join(place, 'long.bin'), Buffer.alloc(LONG * MIB, 'berth'))
      await page.getByRole('link', { name: 'Storage' }).click()
      await page.getByRole('link', { name: 'data', exact: true }).click()
      let chunks = 0
      const half = new Promise((resolve) => {
        browser.network.onRequest = ({ method }) => method === 'PUT' && ++chunks === 4 && resolve()
      })
      await page.locator('input[type=file]').setInputFiles(join(place, 'long.bin'))
      await half
      await askFor(browser, 'kill agent')
      await uploadLine(/connection lost at .* MiB; goes on by itself/).waitFor()
      await askFor(browser, 'start agent')
      await uploadLine(`done, ${LONG} MiB`).waitFor()
      browser.network.onRequest = () => undefined
      browser.faults.length = 0 // what was refused meanwhile
      await isConnected(terminal)
      await typeLine(terminal, 'cd data && wc -c < long.bin')
      await shows(terminal, `${LONG * MIB}`)
      rmSync(place, { recursive: true })
    },
  },
  browser,
)
