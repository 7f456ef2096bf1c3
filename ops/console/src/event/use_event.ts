import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import { Problem } from '../api/problem'
import type { Event, EventList } from '../api/schema.gen'

/** An id is `<offset>-<index of the event in its record>`. */
const ID = /^(\d{1,15})-\d+$/
/** A record has no more events than this. */
const MOST = 1_000

/** An event that the page shows, or that an address names: the journal has it still, however old it is. */
export function useEvent(id: string, events: Event[]) {
  const shown = events.find((event) => event.id === id)
  const read = useQuery({
    queryKey: ['event', id],
    queryFn: ({ signal }) => readEvent(id, signal),
    enabled: !shown,
  })
  return { event: shown ?? read.data, error: shown ? null : read.error, retry: () => void read.refetch() }
}

async function readEvent(id: string, signal: AbortSignal): Promise<Event> {
  const offset = ID.exec(id)?.[1]
  const query = { from: offset, to: offset, limit: MOST }
  const { events } = offset ? await call<EventList>('GET', '/v1/events', { query, signal }) : { events: [] }
  const found = events.find((event) => event.id === id)
  if (!found) throw new Problem(404, 'unknown-event', '')
  return found
}
