// The past of a REAL Berth, its usage and its operations: node test/real/past.mjs ORIGIN TOLD
// TOLD is JSON: `token` of a login link, and `usage`, a file. A session that has ended is seen RUNNING, by the slider and by a link; two
// moments are compared; nothing can be done there. Usage is what the command line says of the same window: this script writes the window
// into the file, says `usage`, and reads there what was answered.
import { readFileSync, writeFileSync } from 'node:fs'
import {
  askFor,
  beginLaunch,
  button,
  field,
  openBrowser,
  pressLaunch,
  runSteps,
  setPassword,
} from './rig.mjs'

const [server, told] = process.argv.slice(2)
const { token, usage } = JSON.parse(told)
const browser = await openBrowser(server)
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
const nav = (name) =>
  page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name, exact: true })
const banner = page.getByRole('region', { name: 'The past' })
const gone = page.getByRole('link', { name: 'gone', exact: true })
let mark = ''

const steps = {
  async 'a session runs, and ends'() {
    await setPassword(page, browser.origin, token)
    await beginLaunch(page)
    await field(page, 'Name').fill('gone')
    await field(page, 'CPU').fill('0.2')
    await field(page, 'RAM').fill('64m')
    await pressLaunch(page)
    await page.getByRole('row', { name: /gone.*RUNNING/ }).waitFor()
    await page.waitForTimeout(1_200) // a moment of the past is a second
    mark = new Date().toISOString()
    await page.waitForTimeout(1_200) // the moment is over before what follows
    await button(page, 'Terminate gone').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Terminate', exact: true }).click()
    await gone.waitFor({ state: 'detached' })
  },
  async 'the slider shows it RUNNING, with its agent and what it held'() {
    await nav('Time').click()
    const slider = page.getByRole('slider', { name: 'Moment' })
    await slider.fill(String(Date.parse(mark)))
    await banner.getByText('As it was on').waitFor()
    await nav('Sessions').click()
    await page.getByRole('row', { name: /gone.*RUNNING.*0\.2 CPU.*64 MiB/ }).waitFor()
    await page.getByRole('img', { name: 'CPU in default: 0.2 /' }).waitFor()
    await nav('Agents').click()
    await page.getByText('Kernels: 1').waitFor()
  },
  async 'nothing can be done in the past, and its pages keep the moment'() {
    await nav('Sessions').click()
    await gone.waitFor()
    for (const name of ['START', 'Terminate gone', 'Logs of gone', 'Apps of gone'])
      if ((await button(page, name).count()) > 0) throw new Error(`the past offers ${name}`)
    await gone.click()
    await page.getByRole('dialog').getByText('RUNNING').first().waitFor()
    await button(page, 'Close').click()
    for (const name of ['Queue', 'Events', 'Admin', 'Storage']) {
      await nav(name).click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
      await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy=true]'))
      if (!page.url().includes('at=')) throw new Error(`${name} leaves the past`)
    }
  },
  async 'a step leads to the event after, and playing on to its end'() {
    await page.goto(`${browser.origin}/#/time?at=${mark}`)
    await page.getByRole('region', { name: 'What there was' }).getByText('RUNNING').waitFor()
    await button(page, 'Event after').click()
    await page.waitForFunction(() => /at=\d+$/.test(location.hash))
    await page.getByRole('combobox', { name: 'Speed of playing' }).selectOption('10')
    await button(page, 'Play').click()
    await page.getByRole('region', { name: 'What there was' }).getByText('No live sessions').waitFor()
  },
  async 'two moments differ in what has happened between them'() {
    await page.goto(`${browser.origin}/#/time?from=${mark}&to=${new Date().toISOString()}`)
    const changes = page.getByRole('list', { name: 'What changed between two moments' })
    const change = changes
      .getByRole('listitem')
      .filter({ hasText: /session\s*gone/ })
      .first()
    await change.getByText('SessionTerminating').first().waitFor()
    await change.getByText('TERMINATED').first().waitFor()
  },
  async 'a link to a moment shows it; back to now is back'() {
    await page.goto('about:blank')
    await page.goto(`${browser.origin}/#/sessions?at=${mark}`)
    await page.getByRole('row', { name: /gone.*RUNNING/ }).waitFor()
    await button(page, 'Back to now').click()
    await page.getByText('No live sessions').waitFor()
  },
  async 'usage is what the command line says of the same window'() {
    const from = new Date(Date.parse(mark) - 3_600_000).toISOString()
    const to = new Date(Date.parse(mark) + 600).toISOString()
    writeFileSync(usage, JSON.stringify({ from, to }))
    await askFor(browser, 'usage')
    const [row] = JSON.parse(readFileSync(usage, 'utf8')).rows
    await page.goto(`${browser.origin}/#/usage?from=${from}&to=${to}`)
    await page.getByRole('img', { name: /^CPU: admin/ }).waitFor()
    await page.getByRole('tab', { name: 'Exact seconds' }).click()
    const cells = page.getByRole('region', { name: 'Totals' }).getByRole('row', { name: /^admin / })
    for (const [slot, amount] of Object.entries(row.slot_seconds)) {
      const shown = await cells.locator(`[title^="${slot} "]`).innerText()
      if (shown !== amount) throw new Error(`${slot}: ${shown} here, ${amount} by the command line`)
    }
    return `cpu ${row.slot_seconds.cpu}`
  },
  async 'operations has samples, a leader and the agents’ beats, and the log proves itself'() {
    await nav('Operations').click()
    await page.getByRole('img', { name: /^Throughput: .*events \d/ }).waitFor()
    await page.getByRole('img', { name: /^Sessions by state: .*running 0/ }).waitFor()
    await page
      .getByRole('region', { name: 'Leader' })
      .getByText(/epoch \d/)
      .waitFor()
    await page.getByRole('row', { name: /ALIVE.*s$/ }).waitFor()
    const proof = page.getByRole('region', { name: 'Proof of the log' })
    await button(page, 'Verify').click()
    await proof.getByText('Nothing was changed').waitFor()
  },
  async 'a moment before the log is refused in words'() {
    await page.goto(`${browser.origin}/#/sessions?at=1969-12-31T00:00:00Z`)
    await banner.getByRole('alert').waitFor()
    browser.faults.length = 0
  },
}

await runSteps(steps, browser)
