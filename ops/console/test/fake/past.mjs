// The FAKE cluster's past: its tables as of a record, out of the changes that are kept, and what differs between two.
import { Cluster, Refusal } from './cluster.mjs'

const NOUNS = {
  sessions: 'session',
  agents: 'agent',
  users: 'user',
  groups: 'group',
  limits: 'limit',
  images: 'image',
}
const ZONED = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/

const wrong = (detail, code = 'invalid-moment') =>
  new Refusal(400, code, detail, { hint: 'a position, or a time with its zone' })
const momentOf = ({ position, time }) => ({ position: `${position}-0`, time })

/** The change that a position or a time names: the last that is not after it. */
export function changeAt(cluster, at) {
  const { changes } = cluster
  const [first, last] = [changes[0], changes.at(-1)]
  if (/^\d+(-\d+)?$/.test(at)) {
    const position = Number(at.split('-')[0])
    if (position > last.position)
      throw wrong(`${at} is after the last record, ${last.position}`, 'future-moment')
    if (position < first.position)
      throw new Refusal(410, 'before-the-log', `${at} is before the first record`)
    return changes.findLast((one) => one.position <= position)
  }
  if (!ZONED.test(at)) throw wrong(`${at} is neither a position nor a time with its zone`)
  const time = Date.parse(at)
  if (time > Date.now() + 1_000) throw wrong(`${at} is in the future`, 'future-moment')
  if (time < Date.parse(first.time))
    throw new Refusal(410, 'before-the-log', `${at} is before the first record`)
  return changes.findLast((one) => Date.parse(one.time) <= time)
}

export const bounds = ({ changes }) => ({
  first: momentOf(changes[0]),
  last: momentOf(changes.at(-1)),
  pruned_before: null,
})

/** A cluster with the tables of then; the rest is that of now. */
export function clusterAt(cluster, at) {
  const change = changeAt(cluster, at)
  const then = new Cluster()
  for (const { table, key, row, gone, position } of cluster.changes) {
    if (position > change.position) break
    if (gone) then.tables[table].delete(key)
    else then.tables[table].set(key, row)
  }
  then.position = change.position
  then.events = cluster.events.filter(({ offset }) => offset <= change.position)
  return { then, at: momentOf(change) }
}

export function diff(cluster, from, to) {
  const [a, b] = [clusterAt(cluster, from), clusterAt(cluster, to)]
  if (a.then.position > b.then.position) throw wrong('from is after to', 'swapped-ends')
  const changes = Object.entries(NOUNS).flatMap(([table, noun]) => {
    const [was, is] = [a.then.tables[table], b.then.tables[table]]
    const keys = new Set([...was.keys(), ...is.keys()])
    return [...keys].flatMap((id) => {
      const [before, after] = [was.get(id) ?? null, is.get(id) ?? null]
      if (before === after) return []
      const events = cluster.events
        .filter(
          ({ offset, session }) => session === id && offset > a.then.position && offset <= b.then.position,
        )
        .map(({ id: position, time, type, text }) => ({ position, time, type, line: text }))
      return [{ noun, id, name: (after ?? before).name ?? id, before, after, events, more_events: 0 }]
    })
  })
  return { from: a.at, to: b.at, changes, next: null }
}
