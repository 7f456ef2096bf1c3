import { useQuery } from '@tanstack/react-query'
import { allOf } from '../api/client'
import type { Event } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { sentenceOf } from '../event/event_text'
import { useText } from '../text/text'
import { Failed, Loading } from '../ui/page_state'
import { RelativeTime } from '../ui/time'

const MOST = 1_000

/** The journal's events of one session, oldest first; read again as its status changes. */
export function SessionEvents({ id, status }: { id: string; status: string }) {
  const { t } = useText()
  const events = useQuery({
    queryKey: ['session-events', id, status],
    queryFn: ({ signal }) =>
      allOf<Event>('/v1/events', 'events', { session: id, limit: MOST }, MOST, signal),
    placeholderData: (before) => before,
  })
  if (events.isPending) return <Loading />
  if (events.error) return <Failed error={events.error} retry={() => void events.refetch()} />
  return (
    <ol className="event-lines" aria-label={t('nav.events')}>
      {events.data.map((event) => (
        <li key={event.id}>
          <RelativeTime at={event.time} />
          <a href={hashOf(['events'], { session: id, open: event.id })} className="mono">
            {event.type}
          </a>
          <span className="muted">{sentenceOf(event)}</span>
        </li>
      ))}
    </ol>
  )
}
