// Prints how fast the built console is in Chromium, against the FAKE server: node test/measure.mjs [FOLDER]
// Nothing fails: times are the machine's. Rows: 50,000 sessions, 1,000 agents of 8 devices.
import { chromium } from 'playwright-core'
import { folder } from './browser/browser.mjs'
import { startFake } from './fake_server.mjs'

const ROWS = 50_000
const AGENTS = 1_000
const CHANGES = 200
const CHANGE_EVERY_MS = 50

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]
const shown = (values) =>
  `p50 ${percentile(values, 0.5).toFixed(0)} ms, p95 ${percentile(values, 0.95).toFixed(0)} ms`
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function largestPaint(page, slower) {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Emulation.setCPUThrottlingRate', { rate: slower })
  await page.goto('about:blank')
  await page.goto(`${fake.origin}/#/queue`)
  await page.getByText('Nobody waits').waitFor()
  const paint = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
        observer.observe({ type: 'largest-contentful-paint', buffered: true })
      }),
  )
  await debug.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  return paint
}

/** From the server's write to the frame after the cell changed; names of rows in sight are what changes. */
async function eventToPixel(page) {
  await page.evaluate(() => {
    globalThis.seen = {}
    const look = () => {
      for (const { textContent: name } of document.querySelectorAll('.row a')) {
        if (name.startsWith('change-') && !(name in seen)) {
          seen[name] = 0
          requestAnimationFrame(() => (seen[name] = Date.now()))
        }
      }
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  const rows = [...fake.cluster.tables.sessions.keys()].slice(-10)
  const sent = {}
  for (let index = 0; index < CHANGES; index++) {
    const id = rows[index % rows.length]
    const name = `change-${index}`
    sent[name] = Date.now()
    fake.cluster.put('sessions', id, { ...fake.cluster.tables.sessions.get(id), name })
    await pause(CHANGE_EVERY_MS)
  }
  await page.getByRole('link', { name: `change-${CHANGES - 1}`, exact: true }).waitFor()
  const seen = await page.evaluate(() => globalThis.seen)
  return Object.keys(seen).map((name) => seen[name] - sent[name])
}

const scroll = (page, selector, step) =>
  page.evaluate(
    async ([wanted, by]) => {
      const box = document.querySelector(wanted)
      const times = []
      for (let count = 0, last = performance.now(); count < 200; count++) {
        box.scrollTop = count * by
        await new Promise(requestAnimationFrame)
        times.push(performance.now() - last)
        last = performance.now()
      }
      box.scrollTop = 0
      return times
    },
    [selector, step],
  )

const fake = await startFake({ folder, rows: ROWS })
const devices = Array.from({ length: 8 }, (_, index) => ({
  id: `gpu${index}`,
  slots: { 'cuda.shares': '1' },
}))
for (let index = 0; index < AGENTS; index++) {
  fake.cluster.addAgent(`n${index}`, { cpu: '64', mem: '512g' }, devices, 'gpu-large')
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
await page.goto(`${fake.origin}/#/link/first-start`)
await page.getByRole('textbox', { name: 'New password' }).fill('admin-secret')
const begin = Date.now()
await page.getByRole('button', { name: 'Set password' }).click()
await page.getByText(`of ${ROWS + 4}`).waitFor({ timeout: 120_000 })
console.log(`${ROWS} sessions listed: ${Date.now() - begin} ms`)
console.log(`event to pixel, 20 changes a second: ${shown(await eventToPixel(page))} (aim p95 250)`)
console.log(`frames while sessions scroll: ${shown(await scroll(page, '.table', 400))} (aim p95 50)`)
await page.goto(`${fake.origin}/#/agents`)
await page.getByText('n999').waitFor()
console.log(`frames while agents scroll: ${shown(await scroll(page, '#main', 100))}`)
const heap = await page.evaluate(() => performance.memory.usedJSHeapSize)
console.log(`heap: ${(heap / 1e6).toFixed(0)} MB`)
console.log(`largest contentful paint: ${(await largestPaint(page, 1)).toFixed(0)} ms`)
console.log(
  `largest contentful paint, CPU 4 times slower: ${(await largestPaint(page, 4)).toFixed(0)} ms (aim 1000)`,
)
await browser.close()
process.exit()
