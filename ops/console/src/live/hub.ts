import { pagesOf } from '../api/client'
import { Problem } from '../api/problem'
import type { Frame } from './sse'
import { LiveTable } from './live_table'
import type { Change, Failure, FromHub, LiveState, ToHub } from './messages'
import { SOURCES, TABLE_NAMES, keyOf, type Row, type TableName, type Topic } from './tables'
import { WatchStream } from './watch_stream'

export type Port = { postMessage(message: FromHub): void }

type RowFrame = { table: Topic; key: string; row?: Row | null }

const FLUSH_MS = 40
const RELOAD_MS = 1_000

/** `state=all` is of sessions: one that ends is told as a row with its end, not as gone. */
const WATCH_URL = `/v1/watch?tables=${TABLE_NAMES.join(',')},browser_sessions&state=all`

/**
 * Holds the one stream of a browser and the rows that it patches, for all tabs. The recipe: open the stream without
 * `after`, read its first position, GET the lists as of that position, apply what the stream tells. A table is read when
 * the first tab needs it. Whoever signs in or out in one tab changes all of them.
 */
export class Hub {
  private readonly ports = new Set<Port>()
  private readonly needed = new Set<TableName>()
  private readonly tables = new Map<TableName, LiveTable>()
  private readonly news = new Map<TableName, Map<string, Row | null>>()
  private flushing: ReturnType<typeof setTimeout> | null = null
  private identity: string | null = null
  private state: LiveState = 'connecting'
  private stream: WatchStream | null = null
  /** The newest position that the stream has told of, by whatever frame; null before the first. */
  private told: number | null = null

  join(port: Port) {
    this.ports.add(port)
    port.postMessage({ kind: 'state', state: this.state })
  }

  receive(port: Port, message: ToHub) {
    if (message.kind === 'bye') this.ports.delete(port)
    else if (message.kind === 'identity') this.identify(message.identity)
    else message.tables.forEach((name) => this.need(port, name))
  }

  private identify(identity: string | null) {
    if (identity === this.identity) return
    this.identity = identity
    this.tell({ kind: 'identity', identity })
    if (identity === null) this.stop()
    else this.restart()
  }

  private need(port: Port, name: TableName) {
    this.needed.add(name)
    const table = this.tables.get(name)
    if (table?.loaded && !table.failure) port.postMessage(this.whole(name, table))
    else if ((!table || table.failure) && this.told !== null) void this.load(name, this.told)
  }

  private stop() {
    this.stream?.close()
    this.stream = null
    this.told = null
    this.tables.clear()
    this.news.clear()
    this.needed.forEach((table) =>
      this.tell({ kind: 'changes', table, reset: true, loaded: false, failure: null, changes: [] }),
    )
  }

  private restart() {
    this.stop()
    this.setState('connecting')
    const stream = new WatchStream(WATCH_URL, {
      started: () => this.setState('live'),
      frame: (frame) => this.read(frame),
      cut: () => this.setState('lost'),
      refused: () => this.identify(null),
    })
    this.stream = stream
    void stream.run()
  }

  private read(frame: Frame) {
    if (frame.event === 'restart') {
      if ((JSON.parse(frame.data) as { code: string }).code === 'signed-out') return this.identify(null)
      this.tell({ kind: 'rights' })
      this.restart()
    } else if (frame.event === 'position') {
      this.advance((JSON.parse(frame.data) as { position: number }).position)
    } else if (frame.event === 'put' || frame.event === 'gone') {
      this.patch(JSON.parse(frame.data) as RowFrame, Number(frame.id))
    }
  }

  private patch({ table, key, row = null }: RowFrame, position: number) {
    if (table === 'browser_sessions') this.tell({ kind: 'touched', topic: table })
    else {
      const told = { key: row ? keyOf(table, row) : key, row, position }
      this.note(table, this.tables.get(table)?.tell(told) ?? [])
    }
    if (this.told !== null) this.advance(position)
  }

  /** The first position begins the reading of what tabs need; a table that is needed later is read as of the newest. */
  private advance(position: number) {
    const begins = this.told === null
    this.told = Math.max(this.told ?? 0, position)
    if (begins) this.needed.forEach((name) => void this.load(name, position))
  }

  private async load(name: TableName, base: number) {
    const table = new LiveTable(name, base)
    this.tables.set(name, table)
    const source = SOURCES[name]
    const query = { ...source.query, min_position: base }
    const current = () => this.tables.get(name) === table
    try {
      for await (const page of pagesOf<Row>(source.path, name, query)) {
        if (!current()) return
        table.list(page.rows, page.position)
      }
      table.finish()
    } catch (error) {
      if (!current()) return
      table.failure = failureOf(error)
      if (!(error instanceof Problem) || !error.final) {
        setTimeout(() => current() && this.load(name, this.told ?? base), RELOAD_MS)
        return this.tell({ ...this.whole(name, table), changes: [] })
      }
      table.finish()
    }
    this.news.delete(name)
    this.tell(this.whole(name, table))
  }

  private whole(name: TableName, table: LiveTable) {
    return {
      kind: 'changes' as const,
      table: name,
      reset: true,
      loaded: table.loaded,
      failure: table.failure,
      changes: table.everything,
    }
  }

  private note(name: TableName, changes: Change[]) {
    if (changes.length === 0) return
    const news = this.news.get(name) ?? new Map<string, Row | null>()
    this.news.set(name, news)
    changes.forEach(({ key, row }) => news.set(key, row))
    this.flushing ??= setTimeout(() => this.flush(), FLUSH_MS)
  }

  private flush() {
    this.flushing = null
    for (const [table, news] of this.news) {
      const changes = [...news].map(([key, row]) => ({ key, row }))
      this.tell({ kind: 'changes', table, reset: false, loaded: true, failure: null, changes })
    }
    this.news.clear()
  }

  private setState(state: LiveState) {
    if (state === this.state) return
    this.state = state
    this.tell({ kind: 'state', state })
  }

  private tell(message: FromHub) {
    this.ports.forEach((port) => port.postMessage(message))
  }
}

function failureOf(error: unknown): Failure {
  const { status, code, detail, hint, requestId } =
    error instanceof Problem ? error : new Problem(0, 'unreachable', String(error))
  return { status, code, detail, hint, requestId }
}
