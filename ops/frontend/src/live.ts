// The sessions of one person's owner, live: first all of them, then each row that changes, as Berth tells it
// (controller/api/README.md, "Rows that change").
import type { Berth } from './berth.js'
import { framesOf } from './frames.js'

export interface Row {
  id: string
  name: string
  status: string
  reason: string
  image: string
}

export type News =
  | { event: 'all'; data: Row[] }
  | { event: 'put'; data: Row }
  | { event: 'gone'; data: { id: string } }

interface SessionJson {
  id: string
  name: string
  status: string
  image?: string | null
  reason?: { code?: string; slot?: string } | null
}

export function rowOf(session: SessionJson): Row {
  const reason = session.reason ?? {}
  return {
    id: session.id,
    name: session.name,
    status: session.status,
    image: session.image ?? '',
    reason: [reason.code, reason.slot].filter(Boolean).join(' '),
  }
}

/** Ends when Berth ends the stream, which a client answers by asking anew, or by `signal`. */
export async function* newsOf(berth: Berth, owner: string, signal: AbortSignal): AsyncGenerator<News> {
  const stream = await berth.stream({ path: '/v1/watch', owner, query: { tables: 'sessions', user: owner }, signal })
  let begun = false
  for await (const frame of framesOf(stream)) {
    if (frame.event === 'restart') return
    if (frame.event === 'position' && !begun) {
      begun = true
      const { position } = JSON.parse(frame.data) as { position: number }
      yield { event: 'all', data: await listed(berth, owner, position) }
    } else if (frame.event === 'put') {
      yield { event: 'put', data: rowOf((JSON.parse(frame.data) as { row: SessionJson }).row) }
    } else if (frame.event === 'gone') {
      yield { event: 'gone', data: { id: (JSON.parse(frame.data) as { key: string }).key } }
    }
  }
}

async function listed(berth: Berth, owner: string, position: number): Promise<Row[]> {
  const list = await berth.ask<{ sessions: SessionJson[] }>({
    path: '/v1/sessions',
    owner,
    query: { state: 'live', user: owner, limit: '200', min_position: String(position) },
  })
  return list.sessions.map(rowOf)
}
