/** Rows of one table by key, in the order in which they first came; of two values of a row the newer position wins. */
export class RowTable<T> {
  readonly rows = new Map<string, T>()
  private readonly positions = new Map<string, number>()

  /** `base`: nothing older than this is news, since the list was read from a state that had it. */
  constructor(readonly base: number) {}

  put(key: string, row: T, position: number): boolean {
    if (this.isOld(key, position)) return false
    this.rows.set(key, row)
    this.positions.set(key, position)
    return true
  }

  remove(key: string, position: number): boolean {
    if (this.isOld(key, position)) return false
    this.positions.delete(key)
    return this.rows.delete(key)
  }

  private isOld(key: string, position: number) {
    return position < Math.max(this.base, this.positions.get(key) ?? 0)
  }
}
