import type { Session, Status } from '../api/schema.gen'
import { byName } from '../ui/by_name'

export type SessionFilter = { text: string; status: string; group: string }

/** One session, or several that one launch asked for, which a click opens. */
export type SessionRow =
  | { kind: 'one'; key: string; session: Session; inside: boolean }
  | { kind: 'several'; key: string; name: string; sessions: Session[]; open: boolean }

export const sessionsOf = (row: SessionRow) => (row.kind === 'one' ? [row.session] : row.sessions)

/** What a column shows of a row of several stands for all of them: the first's. */
export const firstOf = (row: SessionRow) => sessionsOf(row)[0] as Session

export function matches(session: Session, filter: SessionFilter): boolean {
  if (filter.status && session.status !== filter.status) return false
  if (filter.group && session.group !== filter.group) return false
  if (!filter.text) return true
  const words = [
    session.name,
    session.id,
    session.image,
    session.owner.user,
    session.owner.project,
    ...session.agents,
  ]
  return words.some((word) => word.toLowerCase().includes(filter.text.toLowerCase()))
}

/** Sessions in their order, those of one launch gathered where the first of them stands. */
export function gather(sessions: Session[]): SessionRow[] {
  const launches = new Map<string, Session[]>()
  for (const session of sessions) {
    const launch = session.request_id ?? session.id
    const members = launches.get(launch)
    if (members) members.push(session)
    else launches.set(launch, [session])
  }
  return [...launches].map(([launch, members]) =>
    members.length > 1 ? severalOf(launch, members) : oneOf(members[0] as Session),
  )
}

/** The same row for the same session, so that what is in sight need not be drawn again. */
const knownRows = new WeakMap<Session, SessionRow>()

function oneOf(session: Session, inside = false): SessionRow {
  const known = knownRows.get(session)
  if (known?.kind === 'one' && known.inside === inside) return known
  const row: SessionRow = { kind: 'one', key: session.id, session, inside }
  knownRows.set(session, row)
  return row
}

const severalOf = (launch: string, sessions: Session[]): SessionRow => ({
  kind: 'several',
  key: `launch:${launch}`,
  name: commonName(sessions),
  sessions,
  open: false,
})

/** Opened launches are followed by their sessions. */
export function unfold(rows: SessionRow[], opened: ReadonlySet<string>): SessionRow[] {
  return rows.flatMap((row) =>
    row.kind === 'several' && opened.has(row.key)
      ? [{ ...row, open: true }, ...row.sessions.map((one) => oneOf(one, true))]
      : [row],
  )
}

const byText = (of: (session: Session) => string) => (a: SessionRow, b: SessionRow) =>
  byName(of(firstOf(a)), of(firstOf(b)))

/** By column; without one the newest come first. */
const ORDERS: Record<string, (a: SessionRow, b: SessionRow) => number> = {
  name: byText((session) => session.name),
  status: byText((session) => session.status),
  image: byText((session) => session.image),
  owner: byText((session) => session.owner.user),
}

export function sortRows(rows: SessionRow[], sort: { key: string; down: boolean }): SessionRow[] {
  const order = ORDERS[sort.key]
  if (!order) return rows
  return rows.sort(sort.down ? (a, b) => order(b, a) : order)
}

const commonName = ([first]: Session[]) => first?.name.replace(/-\d+$/, '') ?? ''

/** How many of each status, the most frequent first. */
export function countStatuses(sessions: readonly Session[]): [Status, number][] {
  const counts = new Map<Status, number>()
  for (const { status } of sessions) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}

/** Exact sums of what sessions hold or ask for, slot by slot. */
export function sumOf(sessions: readonly Session[], parse: (text: string) => bigint): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const session of sessions) {
    for (const [slot, amount] of Object.entries(session.resources))
      sums.set(slot, (sums.get(slot) ?? 0n) + parse(amount))
  }
  return sums
}
