import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Hub } from '../../src/live/hub'
import type { FromHub } from '../../src/live/messages'

/** A server in memory: what /v1/watch streams, and what the lists answer. */
class Server {
  readonly streams: { url: string; send(text: string): void; end(): void }[] = []
  readonly asked: string[] = []
  sessions: object[] = []
  position = 10
  refusal: number | null = null
  /** What lists are answered by, while the stream goes on. */
  fault: number | null = null

  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = String(input)
    if (this.refusal) return Promise.resolve(new Response('{}', { status: this.refusal }))
    if (!url.startsWith('/v1/watch')) {
      this.asked.push(url)
      if (this.fault) return Promise.resolve(new Response('{"code":"bad"}', { status: this.fault }))
      return Promise.resolve(
        Response.json({ sessions: this.sessions, next_page_token: null, position: this.position }),
      )
    }
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.streams.push({
          url,
          send: (text) => controller.enqueue(encoder.encode(text)),
          end: () => controller.close(),
        })
        init?.signal?.addEventListener('abort', () => controller.error(new Error('aborted')))
      },
    })
    return Promise.resolve(new Response(body))
  }

  get stream() {
    const last = this.streams.at(-1)
    if (!last) throw new Error('no stream was opened')
    return last
  }

  tell(position: number) {
    this.stream.send(`event: position\ndata: {"position":${position}}\n\n`)
  }

  put(position: number, row: { id: string }) {
    this.stream.send(
      `event: put\nid: ${position}\ndata: ${JSON.stringify({ table: 'sessions', key: row.id, row })}\n\n`,
    )
  }
}

class Tab {
  readonly told: FromHub[] = []
  readonly postMessage = (message: FromHub) => void this.told.push(message)
  readonly rows = () => {
    const rows = new Map<string, unknown>()
    for (const message of this.told) {
      if (message.kind !== 'changes') continue
      if (message.reset) rows.clear()
      message.changes.forEach(({ key, row }) => (row === null ? rows.delete(key) : rows.set(key, row)))
    }
    return [...rows.keys()]
  }
}

let server: Server
let hub: Hub

function tabOf(identity: string | null = null) {
  const tab = new Tab()
  hub.join(tab)
  if (identity) hub.receive(tab, { kind: 'identity', identity })
  hub.receive(tab, { kind: 'need', tables: ['sessions'] })
  return tab
}

beforeEach(() => {
  vi.useFakeTimers()
  server = new Server()
  vi.stubGlobal('fetch', server.fetch)
  hub = new Hub()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (ms = 100) => vi.advanceTimersByTimeAsync(ms)

test('the lists are read as of the first position that the stream tells', async () => {
  server.sessions = [{ id: 's1', status: 'RUNNING' }]
  const tab = tabOf('alice/1')
  await pass()
  expect(server.asked).toEqual([])
  server.tell(10)
  await pass()
  expect(server.asked).toEqual(['/v1/sessions?state=live&limit=1000&min_position=10'])
  expect(tab.rows()).toEqual(['s1'])
})

test('three tabs share one stream and all are told of a change', async () => {
  const tabs = [tabOf('alice/1'), tabOf('alice/1'), tabOf('alice/1')]
  await pass()
  server.tell(10)
  await pass()
  server.put(11, { id: 's1' })
  await pass()
  expect(server.streams).toHaveLength(1)
  expect(tabs.map((tab) => tab.rows())).toEqual([['s1'], ['s1'], ['s1']])
})

test('a tab that comes later has the rows at once, and the list is not read again', async () => {
  tabOf('alice/1')
  await pass()
  server.tell(10)
  await pass()
  server.put(11, { id: 's1' })
  await pass()
  expect(tabOf('alice/1').rows()).toEqual(['s1'])
  expect(server.asked).toHaveLength(1)
})

test('a table that is needed later is read as of all that the stream has told by then', async () => {
  const tab = tabOf('alice/1')
  await pass()
  server.tell(10)
  server.put(17, { id: 's1' })
  await pass()
  hub.receive(tab, { kind: 'need', tables: ['agents'] })
  await pass()
  expect(server.asked.at(-1)).toBe('/v1/agents?limit=1000&min_position=17')
})

test('after a cut it goes on behind the last position, and nothing is read again', async () => {
  const tab = tabOf('alice/1')
  await pass()
  server.tell(10)
  server.put(11, { id: 's1' })
  server.tell(12)
  await pass()
  server.stream.end()
  await pass(1_000)
  expect(server.streams).toHaveLength(2)
  expect(server.stream.url).toContain('&after=12')
  server.put(13, { id: 's2' })
  await pass()
  expect(tab.rows()).toEqual(['s1', 's2'])
  expect(server.asked).toHaveLength(1)
})

test('it tries again and again while the server answers 503', async () => {
  server.refusal = 503
  const tab = tabOf('alice/1')
  await pass(20_000)
  expect(tab.told).toContainEqual({ kind: 'state', state: 'lost' })
  server.refusal = null
  await pass(6_000)
  expect(server.streams).toHaveLength(1)
  expect(tab.told.at(-1)).toEqual({ kind: 'state', state: 'live' })
})

test('a stream that is silent for 9 seconds is given up for another', async () => {
  tabOf('alice/1')
  await pass()
  server.tell(10)
  await pass(8_500)
  expect(server.streams).toHaveLength(1)
  await pass(1_000)
  expect(server.streams).toHaveLength(2)
})

test('`restart` begins anew: rights are asked for again and lists are read again', async () => {
  const tab = tabOf('alice/1')
  await pass()
  server.tell(10)
  server.put(11, { id: 's1' })
  await pass()
  server.stream.send('event: restart\ndata: {"code":"rights-changed","detail":""}\n\n')
  await pass()
  expect(tab.told).toContainEqual({ kind: 'rights' })
  expect(tab.rows()).toEqual([])
  expect(server.stream.url).not.toContain('after=')
  server.sessions = [{ id: 's9', status: 'RUNNING' }]
  server.tell(40)
  await pass()
  expect(tab.rows()).toEqual(['s9'])
})

test('who signs in in one tab is told to all, and the rows of before are gone', async () => {
  const first = tabOf('alice/1')
  const second = tabOf('alice/1')
  await pass()
  server.tell(10)
  server.put(11, { id: 's1' })
  await pass()
  hub.receive(second, { kind: 'identity', identity: 'bob/2' })
  await pass()
  expect(first.told).toContainEqual({ kind: 'identity', identity: 'bob/2' })
  expect(first.rows()).toEqual([])
  expect(server.streams).toHaveLength(2)
})

test('a stream that is refused with 401 signs every tab out and is not tried again', async () => {
  server.refusal = 401
  const tab = tabOf('alice/1')
  await pass(20_000)
  expect(tab.told).toContainEqual({ kind: 'identity', identity: null })
  server.refusal = null
  await pass(20_000)
  expect(server.streams).toHaveLength(0)
})

test('of browser sessions it tells that they have changed, and holds no rows', async () => {
  const tab = tabOf('alice/1')
  await pass()
  server.tell(10)
  server.stream.send('event: gone\nid: 11\ndata: {"table":"browser_sessions","key":"b1"}\n\n')
  await pass()
  expect(tab.told).toContainEqual({ kind: 'touched', topic: 'browser_sessions' })
  expect(server.stream.url).toContain('browser_sessions')
  expect(server.asked.filter((url) => url.includes('browser-sessions'))).toEqual([])
})

test('a stream that says that its browser session has ended signs every tab out and asks nothing more', async () => {
  const tab = tabOf('alice/1')
  await pass()
  server.tell(10)
  await pass()
  server.stream.send('event: restart\ndata: {"code":"signed-out","detail":""}\n\n')
  await pass(5_000)
  expect(tab.told).toContainEqual({ kind: 'identity', identity: null })
  expect(tab.told).not.toContainEqual({ kind: 'rights' })
  expect(server.streams).toHaveLength(1)
})

test('a list that the server fails on is told of, and is there once it can be read', async () => {
  server.fault = 500
  const tab = tabOf('alice/1')
  await pass()
  server.tell(10)
  await pass()
  expect(tab.told.at(-1)).toMatchObject({ kind: 'changes', loaded: false, failure: { status: 500 } })
  server.fault = null
  server.sessions = [{ id: 's1', status: 'RUNNING' }]
  await pass(1_500)
  expect(tab.told.at(-1)).toMatchObject({ kind: 'changes', loaded: true, failure: null })
  expect(tab.rows()).toEqual(['s1'])
})

test('a list that was refused is read again when a person asks for it, and not before', async () => {
  server.fault = 400
  const tab = tabOf('alice/1')
  await pass()
  server.tell(10)
  await pass(5_000)
  expect(server.asked).toHaveLength(1)
  server.fault = null
  hub.receive(tab, { kind: 'need', tables: ['sessions'] })
  await pass()
  expect(tab.told.at(-1)).toMatchObject({ kind: 'changes', loaded: true, failure: null })
})
