import { pagesOf } from '../api/client'
import { Problem } from '../api/problem'
import type { RowStore, TableView } from '../live/live_store'
import type { LiveState } from '../live/messages'
import { SOURCES, TABLE_NAMES, keyOf, type Row, type Rows, type TableName, type Topic } from '../live/tables'

type Listener = () => void

/** The server rebuilds a state that lies far from its checkpoints, or does so for others. */
const AGAIN_MS = 1_000

const NOTHING: TableView<Row> = { rows: new Map(), loaded: false, failure: null }

/**
 * The rows of a moment that is past, in place of the live ones: no stream is applied. What a page has asked for once is read
 * again at each moment; until it is there, the rows of the moment before stand, and what was under way is given up.
 */
export class PastStore implements RowStore {
  readonly isPast = true
  private readonly views = new Map<TableName, TableView<Row>>()
  private readonly listeners = new Map<Topic, Set<Listener>>()
  private readonly needed = new Set<TableName>()
  private reading = new AbortController()
  private at = ''
  private underWay = 0

  /** `now`: whether the server is in reach. */
  constructor(private readonly now: Pick<RowStore, 'state' | 'subscribe'>) {}

  get state(): LiveState {
    return this.now.state
  }

  get isReading() {
    return this.underWay > 0
  }

  /** Empty: nobody looks at the past. */
  moveTo(at: string) {
    if (at === this.at) return
    const wasPast = this.at !== ''
    this.at = at
    this.reading.abort()
    this.reading = new AbortController()
    this.underWay = 0
    if (!wasPast || !at) TABLE_NAMES.forEach((name) => this.views.delete(name))
    if (at) this.needed.forEach((name) => void this.load(name))
    else this.needed.clear()
  }

  view<T extends TableName>(name: T): TableView<Rows[T]> {
    return (this.views.get(name) ?? NOTHING) as TableView<Rows[T]>
  }

  need(name: TableName) {
    if (this.needed.has(name)) return
    this.needed.add(name)
    if (this.at) void this.load(name)
  }

  readAgain(name: TableName) {
    void this.load(name)
  }

  readAllAgain() {
    if (this.at) this.needed.forEach((name) => void this.load(name))
  }

  subscribe(topic: Topic | 'state', listener: Listener): Listener {
    if (topic === 'state') return this.now.subscribe('state', listener)
    const listeners = this.listeners.get(topic) ?? new Set()
    this.listeners.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  private async load(name: TableName) {
    const { at } = this
    const { signal } = this.reading
    const source = SOURCES[name]
    const rows = new Map<string, Row>()
    let failure: Problem | null = null
    this.underWay += 1
    try {
      for await (const page of pagesOf<Row>(source.path, name, { ...source.query, at }, signal))
        page.rows.forEach((row) => rows.set(keyOf(name, row), row))
    } catch (error) {
      failure = error instanceof Problem ? error : new Problem(0, 'unreachable', String(error))
    }
    if (signal.aborted) return
    this.underWay -= 1
    if (failure?.unreachable) setTimeout(() => signal.aborted || void this.load(name), AGAIN_MS)
    if (failure?.status === 503) return
    this.views.set(name, { rows, loaded: failure === null, failure })
    this.listeners.get(name)?.forEach((listener) => listener())
  }
}
