import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { call, standAt } from '../../src/api/client'
import { hashOf } from '../../src/app/router'
import { PastQueries } from '../../src/past/past_queries'
import { PastStore } from '../../src/past/past_store'
import { clamp, momentIn, offsetOf, playedTo, spanOf, stepOf, timeOf } from '../../src/past/span'
import { readBounds } from '../../src/past/read_bounds'
import { recordAfter, recordBefore } from '../../src/past/steps'
import { changedFields } from '../../src/time/changes'
import { instantOf, localText } from '../../src/time/local_time'

let asked: { url: string; method: string; signal?: AbortSignal | null }[] = []
let answer: (url: string) => Response | Promise<Response>

beforeEach(() => {
  asked = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    asked.push({ url, method: init.method ?? 'GET', signal: init.signal })
    return Promise.resolve(answer(url))
  })
})

afterEach(() => {
  standAt('')
  vi.unstubAllGlobals()
})

const now = { state: 'live' as const, subscribe: () => () => {} }
const settle = () => new Promise((resolve) => setTimeout(resolve))
const rowsOf = (url: string) => {
  const at = new URL(url, 'http://x').searchParams.get('at')
  return Response.json({ sessions: [{ id: `of-${at}`, status: 'RUNNING' }], next_page_token: null })
}

test('a table of the past is read of its moment, and again of the next', async () => {
  answer = rowsOf
  const store = new PastStore(now)
  const told = vi.fn()
  store.subscribe('sessions', told)
  store.need('sessions')
  expect(asked).toEqual([])
  store.moveTo('5')
  await settle()
  expect([...store.view('sessions').rows.keys()]).toEqual(['of-5'])
  store.moveTo('6')
  expect([...store.view('sessions').rows.keys()]).toEqual(['of-5'])
  await settle()
  expect([...store.view('sessions').rows.keys()]).toEqual(['of-6'])
  expect(told).toHaveBeenCalledTimes(2)
})

test('what is read of a moment that is left is given up, and its late answer is nothing', async () => {
  const late: ((response: Response) => void)[] = []
  answer = (url) => (url.includes('at=5') ? new Promise((resolve) => late.push(resolve)) : rowsOf(url))
  const store = new PastStore(now)
  store.moveTo('5')
  store.need('sessions')
  expect(store.isReading).toBe(true)
  store.moveTo('6')
  await settle()
  expect(asked[0]?.signal?.aborted).toBe(true)
  late[0]?.(rowsOf('/v1/sessions?at=5'))
  await settle()
  expect([...store.view('sessions').rows.keys()]).toEqual(['of-6'])
  expect(store.isReading).toBe(false)
})

test('a moment that the server refuses is told in the place of rows', async () => {
  answer = () => Response.json({ code: 'before-the-log', detail: 'too early' }, { status: 410 })
  const store = new PastStore(now)
  store.need('sessions')
  store.moveTo('0')
  await settle()
  expect(store.view('sessions').failure).toMatchObject({ status: 410, code: 'before-the-log' })
})

test('a server that is busy with the past is asked again until it has the moment', async () => {
  vi.useFakeTimers()
  const busy = () => new Response('{"code":"past-busy"}', { status: 503 })
  answer = (url) => (asked.length <= 6 ? busy() : rowsOf(url))
  const store = new PastStore(now)
  store.moveTo('5')
  store.need('sessions')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(store.view('sessions')).toMatchObject({ loaded: true, failure: null })
  vi.useRealTimers()
})

test('nothing of one past is shown in another that is entered later', async () => {
  answer = rowsOf
  const store = new PastStore(now)
  store.need('sessions')
  store.moveTo('5')
  await settle()
  store.moveTo('')
  store.moveTo('9')
  expect(store.view('sessions').rows.size).toBe(0)
})

test('in the past reads are of its moment where there is one, and nothing is written', async () => {
  answer = () => Response.json({})
  standAt('7')
  await call('GET', '/v1/sessions/s1')
  await call('GET', '/v1/sessions', { query: { at: '3' } })
  await call('GET', '/v1/sessions', { query: { min_position: 3 } })
  await call('GET', '/v1/whoami')
  await call('GET', '/v1/sessions/s1/logs')
  expect(asked.map(({ url }) => url)).toEqual([
    '/v1/sessions/s1?at=7',
    '/v1/sessions?at=3',
    '/v1/sessions?min_position=3',
    '/v1/whoami',
    '/v1/sessions/s1/logs',
  ])
  await expect(call('POST', '/v1/sessions', { body: {} })).rejects.toMatchObject({ code: 'in-the-past' })
  await call('POST', '/v1/logout', { body: {} })
  standAt('')
  await call('POST', '/v1/sessions', { body: {} })
  expect(asked.filter(({ method }) => method === 'POST').map(({ url }) => url)).toEqual([
    '/v1/logout',
    '/v1/sessions',
  ])
})

test('each moment has answers of its own, and none is asked for again by itself', () => {
  const client = new PastQueries()
  const options = { queryKey: ['queue', 'default'], refetchInterval: 1_000, staleTime: 0 }
  client.moment = '5'
  const first = client.defaultQueryOptions(options)
  client.moment = '6'
  const second = client.defaultQueryOptions(options)
  expect(first.queryHash).not.toBe(second.queryHash)
  expect(second).toMatchObject({ refetchInterval: false, staleTime: Infinity })
})

test('an address without a moment stays so', () => {
  expect(hashOf(['agents'], { q: 'a' })).toBe('#/agents?q=a')
  expect(hashOf(['agents'], { at: null })).toBe('#/agents')
})

const log = { from: 0, to: 100_000_000 }
test('the slider shows all, or a window that holds the moment and lies still while it does', () => {
  expect(spanOf(log, 'all', 5, null)).toEqual(log)
  const hour = spanOf(log, 'hour', 50_000_000, null)
  expect(hour).toEqual({ from: 48_200_000, to: 51_800_000 })
  expect(spanOf(log, 'hour', 51_000_000, hour)).toBe(hour)
  expect(spanOf(log, 'hour', 60_000_000, hour).from).toBe(58_200_000)
  expect(spanOf(log, 'hour', 0, hour)).toEqual({ from: 0, to: 3_600_000 })
  expect(spanOf({ from: 0, to: 1_000 }, 'hour', 5, null)).toEqual({ from: 0, to: 1_000 })
})

test('the ends of the log are named by their records, all between by its time', () => {
  const ends = {
    first: { position: '3-0', time: '2026-11-25T12:00:00.000999Z' },
    last: { position: '9-0', time: '2026-11-25T13:00:00.5Z' },
  }
  const at = (time: string) => momentIn(ends, Date.parse(time))
  expect(at('2026-11-25T12:00:00.000Z')).toBe('3-0')
  expect(at('2026-11-25T13:00:00.5Z')).toBe('9-0')
  expect(at('2026-11-25T12:30:00Z')).toBe('2026-11-25T12:30:00.000Z')
})

test('a position is no year', () => {
  expect([timeOf('12'), timeOf('2026'), timeOf('12-0')]).toEqual([NaN, NaN, NaN])
  expect(timeOf('1970-01-01T00:00:01Z')).toBe(1_000)
})

test('a log whose first record has no time begins with its first event', async () => {
  const none = { position: '0-0', time: '1970-01-01T00:00:00Z' }
  const last = { position: '9-0', time: '2026-11-25T13:00:00Z' }
  let events: object[] = [{ time: '2026-11-25T12:30:00Z' }]
  answer = (url) =>
    Response.json(url.includes('events') ? { events } : { first: none, last, pruned_before: null })
  expect((await readBounds()).first).toEqual({ position: '0-0', time: '2026-11-25T12:30:00Z' })
  events = []
  expect((await readBounds()).first.time).toBe('2026-11-25T12:00:00.000Z')
})

test('playing ends with the log', () => {
  expect(playedTo(1_000, 400, 60, log)).toBe(25_000)
  expect(playedTo(log.to - 10, 400, 60, log)).toBeNull()
})

test('steps, bounds and positions', () => {
  expect(stepOf({ from: 0, to: 50 })).toBe(1)
  expect(stepOf(log)).toBe(10_000)
  expect([clamp(-1, log), clamp(5, log), clamp(1e12, log)]).toEqual([0, 5, log.to])
  expect([offsetOf('12-3'), offsetOf('12')]).toEqual([12, 12])
})

const eventsAt =
  (...offsets: number[]) =>
  (url: string) => {
    const query = new URL(url, 'http://x').searchParams
    const [from, to] = [Number(query.get('from')), Number(query.get('to') ?? Infinity)]
    const events = offsets.filter((offset) => offset >= from && offset <= to).map((offset) => ({ offset }))
    return Response.json({ events: events.slice(0, Number(query.get('limit'))) })
  }

test('a step goes to the next record with an event, over those that have none', async () => {
  answer = eventsAt(3, 900, 905)
  expect(await recordAfter(3)).toBe(900)
  expect(await recordAfter(905)).toBeNull()
  expect(await recordBefore(905, 0)).toBe(900)
  expect(await recordBefore(900, 0)).toBe(3)
  expect(await recordBefore(3, 0)).toBeNull()
})

test('two rows are compared field by field, to a depth', () => {
  const before = { a: 1, b: { c: 'x', d: 2 }, e: [{ state: 'ON' }], f: null, g: 'same' }
  const after = { a: 1, b: { c: 'y', d: 2 }, e: [{ state: 'OFF' }], f: 'new', g: 'same' }
  expect(changedFields(before, after)).toEqual([
    { field: 'b.c', before: 'x', after: 'y' },
    { field: 'e.0.state', before: 'ON', after: 'OFF' },
    { field: 'f', before: null, after: 'new' },
  ])
  expect(changedFields({}, { long: 'x'.repeat(500) })[0]?.after).toHaveLength(120)
})

test('a local time is read back as the moment that it was', () => {
  const time = '2026-11-25T14:03:05.000Z'
  expect(instantOf(localText(time))).toBe(time)
  expect([localText(undefined), localText('nonsense'), instantOf('')]).toEqual(['', '', null])
})
