import { allOf, call } from '../api/client'
import type { Event, EventList } from '../api/schema.gen'

const MOST = 1_000

/** The record after this one that has an event; null: none has. */
export async function recordAfter(offset: number): Promise<number | null> {
  const [event] = await allOf<Event>('/v1/events', 'events', { from: offset + 1, limit: 1 }, 1)
  return event?.offset ?? null
}

/** The record before this one that has an event, looked for in pieces that grow. */
export async function recordBefore(offset: number, first: number): Promise<number | null> {
  for (let piece = 64, end = offset - 1; end >= first; piece *= 2) {
    const from = Math.max(first, end - Math.min(piece, MOST) + 1)
    const query = { from, to: end, limit: MOST }
    const { events } = await call<EventList>('GET', '/v1/events', { query })
    const last = events.at(-1)
    if (last) return last.offset
    end = from - 1
  }
  return null
}
