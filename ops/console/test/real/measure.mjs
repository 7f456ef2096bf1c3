// Measures the console on a REAL Berth with kernels that are none, and prints one JSON object (the shape of berth-bench):
// node test/real/measure.mjs ORIGIN LINK_TOKEN SESSIONS MINUTES COMMIT. Nothing fails: times are the machine's.
import { randomUUID } from 'node:crypto'
import { cpus, loadavg } from 'node:os'
import { launchChromium } from '../chromium.mjs'
import { PASSWORD, setPassword } from './rig.mjs'

const [origin, token, sessions, minutes, commit] = process.argv.slice(2)
const ROWS = Number(sessions)
const AT_ONCE = 100
const CHANGES = 200
const CHANGE_EVERY_MS = 50
const FRAMES = 200
const PIXELS_A_FRAME = 400
/** Each has three events at least (asked for, why it waits, ended): about 200 a second. */
const LIVES_A_SECOND = 66
const SLOWER = 4

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]
const rounded = (value) => Math.round(value * 10) / 10
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const say = (text) => console.error(text)

/** Writes by a browser session of its own, as a second person would. */
async function signIn() {
  const answer = await fetch(`${origin}/v1/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user: 'admin', password: PASSWORD }),
  })
  const cookie = answer.headers.get('set-cookie').split(';')[0]
  const { csrf } = (await answer.json()).user
  return async (path, body) => {
    const key = randomUUID()
    const headers = {
      'Content-Type': 'application/json',
      Cookie: cookie,
      'X-Berth-CSRF': csrf,
      'Idempotency-Key': key,
    }
    const ask = () => fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
    let reply = await ask()
    for (; reply.status === 503; reply = await ask()) await pause(1_000)
    if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`)
    return reply.json()
  }
}

const start = (write, name, count = 1) =>
  write('/v1/sessions', { name, count, type: 'interactive', resources: { cpu: '0.001', mem: '4m' } })

/** Each asked for by itself, so that each is a row; some at once, since each waits for its record. */
async function startMany(write, count) {
  let next = 0
  const startSome = async () => {
    while (next < count) await start(write, `bulk-${next++}`)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, startSome))
}

/** Of a page that is opened anew, with nothing of it in the browser's cache but what the server lets it keep. */
async function largestPaint(page, slower) {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Emulation.setCPUThrottlingRate', { rate: slower })
  await page.goto('about:blank')
  await page.goto(`${origin}/#/sessions`)
  await page
    .getByRole('row', { name: /RUNNING/ })
    .first()
    .waitFor()
  const paint = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
        observer.observe({ type: 'largest-contentful-paint', buffered: true })
      }),
  )
  await debug.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await debug.detach()
  return paint
}

/** From a session's own event in the journal to the frame in which its row is there: the newest is the first row. */
async function eventToPixel(page, write) {
  await page.evaluate(() => {
    globalThis.seen = {}
    const look = () => {
      for (const { textContent: name } of document.querySelectorAll('.row a')) {
        if (!name.startsWith('change-') || name in globalThis.seen) continue
        globalThis.seen[name] = 0
        requestAnimationFrame(() => (globalThis.seen[name] = Date.now()))
      }
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  const written = {}
  const asked = []
  for (let index = 0; index < CHANGES; index++) {
    const name = `change-${index}`
    const keep = ({ sessions: [session] }) => (written[name] = Date.parse(session.created_at))
    asked.push(start(write, name).then(keep))
    await pause(CHANGE_EVERY_MS)
  }
  await Promise.all(asked)
  await page.getByRole('link', { name: `change-${CHANGES - 1}`, exact: true }).waitFor()
  const seen = await page.evaluate(() => globalThis.seen)
  return Object.keys(seen).map((name) => seen[name] - written[name])
}

const framesOfScrolling = (page) =>
  page.evaluate(
    async ([frames, pixels]) => {
      const box = document.querySelector('.table')
      const times = []
      for (let count = 0, last = performance.now(); count < frames; count++) {
        box.scrollTop = count * pixels
        await new Promise(requestAnimationFrame)
        times.push(performance.now() - last)
        last = performance.now()
      }
      box.scrollTop = 0
      return times
    },
    [FRAMES, PIXELS_A_FRAME],
  )

/** Sessions come and go while the page is open; then what the page's heap holds. Answers megabytes, and events a second. */
async function heapUnderEvents(page, write) {
  const until = Date.now() + Number(minutes) * 60_000
  const before = []
  let [first, last] = [null, null]
  for (let round = 0; Date.now() < until; round++) {
    const begin = Date.now()
    const made = await start(write, `life-${round}`, LIVES_A_SECOND)
    before.push(made.sessions.map(({ id }) => id))
    if (before.length > 3) last = (await write('/v1/sessions/terminate', { ids: before.shift() })).position
    first ??= { position: made.position, at: begin }
    await pause(Math.max(0, begin + 1_000 - Date.now()))
  }
  const debug = await page.context().newCDPSession(page)
  await debug.send('HeapProfiler.collectGarbage')
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize)
  return { heap: heap / 1e6, records: last ? ((last - first.position) * 1_000) / (Date.now() - first.at) : 0 }
}

const browser = await launchChromium(['--enable-precise-memory-info'])
const page = await (
  await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en' })
).newPage()
page.setDefaultTimeout(180_000)
await setPassword(page, origin, token)
const write = await signIn()
const figures = {}

await start(write, 'first', AT_ONCE)
await page.getByRole('button', { name: `first × ${AT_ONCE}` }).waitFor()
figures.lcp_ms = rounded(await largestPaint(page, 1))
figures.lcp_slowed_ms = rounded(await largestPaint(page, SLOWER))
say(
  `largest contentful paint: ${figures.lcp_ms} ms; with the CPU ${SLOWER} times slower ${figures.lcp_slowed_ms} ms (aim 1000)`,
)

const begun = Date.now()
await startMany(write, ROWS - AT_ONCE)
say(`${ROWS} sessions asked for: ${Date.now() - begun} ms`)
await page.goto('about:blank')
const begin = Date.now()
await page.goto(`${origin}/#/sessions`)
await page.getByText(`of ${ROWS}`).waitFor()
figures.listed_ms = Date.now() - begin
say(`${ROWS} sessions listed: ${figures.listed_ms} ms`)

const pixels = await eventToPixel(page, write)
figures.event_to_pixel_p50_ms = rounded(percentile(pixels, 0.5))
figures.event_to_pixel_p95_ms = rounded(percentile(pixels, 0.95))
say(
  `event to pixel, ${1_000 / CHANGE_EVERY_MS} changes a second: p95 ${figures.event_to_pixel_p95_ms} ms (aim 250)`,
)

const frames = await framesOfScrolling(page)
figures.scroll_frame_p50_ms = rounded(percentile(frames, 0.5))
figures.scroll_frame_p95_ms = rounded(percentile(frames, 0.95))
say(`frames while they scroll: p95 ${figures.scroll_frame_p95_ms} ms (aim 50)`)

const { heap, records } = await heapUnderEvents(page, write)
figures.heap_mb = rounded(heap)
figures.records_per_s = rounded(records)
say(`heap after ${minutes} minutes: ${figures.heap_mb} MB (aim 150)`)
await browser.close()

const machine = { cpu: cpus()[0].model, cores: cpus().length, load: loadavg().map(rounded) }
const options = { sessions: ROWS, minutes: Number(minutes) }
console.log(
  JSON.stringify({ bench: 'console', options, figures, ceiling: null, ratio: null, machine, commit }),
)
process.exit()
