import type { Change, Failure } from './messages'
import { RowTable } from './row_table'
import { hasEnded, keyOf, type Row, type Rows, type TableName } from './tables'

const ENDED_KEPT = 500

type Told = { key: string; row: Row | null; position: number }

/**
 * One table as the hub holds it: what the stream tells while the list is still being read waits until it is there. Sessions
 * that ended stay for a while (the newest 500), so that lists of ended ones need not be read again.
 */
export class LiveTable {
  private readonly table: RowTable<Row>
  private readonly ended: string[] = []
  private waiting: Told[] | null = []
  /** Why it could not be read, at the last try. */
  failure: Failure | null = null

  constructor(
    private readonly name: TableName,
    private readonly base: number,
  ) {
    this.table = new RowTable(base)
  }

  get loaded() {
    return this.waiting === null
  }

  get everything(): Change[] {
    return [...this.table.rows].map(([key, row]) => ({ key, row }))
  }

  /** Rows as of a position that was asked for to be `base` at least; not every list says which it was. */
  list(rows: Row[], position: number | null) {
    for (const row of rows) this.table.put(keyOf(this.name, row), row, Math.max(position ?? 0, this.base))
  }

  /** The list is there, or cannot be had: from now on the stream is told at once. Answers all rows. */
  finish(): Change[] {
    const told = this.waiting ?? []
    this.waiting = null
    told.forEach((item) => this.apply(item))
    return this.everything
  }

  tell(told: Told): Change[] {
    if (!this.waiting) return this.apply(told)
    this.waiting.push(told)
    return []
  }

  private apply({ key, row, position }: Told): Change[] {
    if (row === null) return this.table.remove(key, position) ? [{ key, row }] : []
    const before = this.table.rows.get(key)
    if (!this.table.put(key, row, position)) return []
    const ends = this.name === 'sessions' && hasEnded(row as Rows['sessions'])
    const wasEnded = before !== undefined && hasEnded(before as Rows['sessions'])
    return [{ key, row }, ...(ends && !wasEnded ? this.forgetOldEnds(key, position) : [])]
  }

  private forgetOldEnds(key: string, position: number): Change[] {
    this.ended.push(key)
    const oldest = this.ended.length > ENDED_KEPT ? this.ended.shift() : undefined
    return oldest !== undefined && this.table.remove(oldest, position) ? [{ key: oldest, row: null }] : []
  }
}
