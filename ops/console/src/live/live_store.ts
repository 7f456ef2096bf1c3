import { Problem } from '../api/problem'
import type { FromHub, LiveState, ToHub } from './messages'
import { TABLE_NAMES, type Row, type Rows, type TableName, type Topic } from './tables'

/** A new object for each change, so that React sees it; `rows` itself is patched in place. */
export type TableView<T> = { rows: ReadonlyMap<string, T>; loaded: boolean; failure: Problem | null }

export type LiveEvents = { identity(identity: string | null): void; rights(): void }

type Listener = () => void

/** Rows by table, whether they are those of now or of a moment that is past. */
export interface RowStore {
  readonly state: LiveState
  /** Nothing of it changes by itself. */
  readonly isPast?: boolean
  /** Of the past: whether rows of the moment are still on their way. */
  readonly isReading?: boolean
  view<T extends TableName>(name: T): TableView<Rows[T]>
  need(name: TableName): void
  readAgain(name: TableName): void
  subscribe(topic: Topic | 'state', listener: () => void): () => void
}

/** This tab's copy of the hub's rows, outside React state. */
export class LiveStore implements RowStore {
  private readonly views = new Map<TableName, TableView<Row>>()
  private readonly listeners = new Map<Topic | 'state', Set<Listener>>()
  private readonly asked = new Set<TableName>()
  private send: (message: ToHub) => void = () => {}
  state: LiveState = 'connecting'

  constructor(private readonly events: LiveEvents) {
    TABLE_NAMES.forEach((name) => this.views.set(name, { rows: new Map(), loaded: false, failure: null }))
  }

  connect(send: (message: ToHub) => void) {
    this.send = send
  }

  identify(identity: string | null) {
    this.send({ kind: 'identity', identity })
  }

  view<T extends TableName>(name: T): TableView<Rows[T]> {
    return this.views.get(name) as TableView<Rows[T]>
  }

  need(name: TableName) {
    if (this.asked.has(name)) return
    this.asked.add(name)
    this.readAgain(name)
  }

  /** What could not be read is read once more. */
  readAgain(name: TableName) {
    this.send({ kind: 'need', tables: [name] })
  }

  subscribe(topic: Topic | 'state', listener: Listener): Listener {
    const listeners = this.listeners.get(topic) ?? new Set()
    this.listeners.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  receive(message: FromHub) {
    if (message.kind === 'identity') return this.events.identity(message.identity)
    if (message.kind === 'rights') return this.events.rights()
    if (message.kind === 'touched') return this.notify(message.topic)
    if (message.kind === 'state') {
      this.state = message.state
      return this.notify('state')
    }
    this.patch(message)
    this.notify(message.table)
  }

  private patch({ table, reset, loaded, failure, changes }: Extract<FromHub, { kind: 'changes' }>) {
    const before = this.views.get(table)
    const rows = reset || !before ? new Map<string, Row>() : (before.rows as Map<string, Row>)
    for (const { key, row } of changes) {
      if (row === null) rows.delete(key)
      else rows.set(key, row)
    }
    const problem =
      failure &&
      new Problem(failure.status, failure.code, failure.detail, failure.hint, [], failure.requestId)
    this.views.set(table, { rows, loaded, failure: reset ? problem : (before?.failure ?? null) })
  }

  private notify(topic: Topic | 'state') {
    this.listeners.get(topic)?.forEach((listener) => listener())
  }
}
