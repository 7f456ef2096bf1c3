import { allOf, call } from '../api/client'
import type { Event, PastBounds } from '../api/schema.gen'

const HOUR_MS = 3_600_000

/** From when to when the log can be looked at. The record that a log begins with has no time: the first event tells it. */
export async function readBounds(signal?: AbortSignal): Promise<PastBounds> {
  const bounds = await call<PastBounds>('GET', '/v1/past', { signal })
  if (Date.parse(bounds.first.time) > 0) return bounds
  const query = { from: 0, limit: 1 }
  const events = await allOf<Event>('/v1/events', 'events', query, 1, signal).catch(() => [])
  const hourAgo = new Date(Date.parse(bounds.last.time) - HOUR_MS).toISOString()
  return { ...bounds, first: { ...bounds.first, time: events[0]?.time ?? hourAgo } }
}
