import { lazy, Suspense, useState } from 'react'
import { Checkbox, TextInput } from '@mantine/core'
import type { Event } from '../api/schema.gen'
import { useMoment, usePlaceQuery } from '../app/router'
import { useText, type Translate } from '../text/text'
import { Failed, Loading, PageState } from '../ui/page_state'
import { RelativeTime } from '../ui/time'
import { VirtualTable, type Column } from '../ui/virtual_table'
import { sentenceOf } from './event_text'
import { useEvents } from './use_events'
import './event.css'

const EventDrawer = lazy(() => import('./event_drawer'))

/** The journal as it is written, newest first. The server filters. */
export default function EventPage() {
  const { t } = useText()
  const place = usePlaceQuery()
  const [follows, setFollows] = useState(true)
  const at = useMoment()
  const filter = { session: place.get('session'), type: place.get('type') }
  const journal = useEvents(filter, follows && at === '', at)
  const opened = place.get('open')
  return (
    <section className="page">
      <div className="page-head">
        <h1>{t('nav.events')}</h1>
        {at === '' && (
          <Checkbox
            label={t('event.follow')}
            checked={follows}
            onChange={(event) => setFollows(event.currentTarget.checked)}
          />
        )}
        <span className="grow" />
        <FilterText label={t('event.types')} name="type" place={place} />
        <FilterText label={t('event.session')} name="session" place={place} />
      </div>
      {journal.error ? (
        <Failed error={journal.error} retry={journal.readAgain} />
      ) : !journal.loaded ? (
        <Loading />
      ) : journal.events.length === 0 ? (
        <PageState icon="events" title={t('event.none')} />
      ) : (
        <VirtualTable
          label={t('nav.events')}
          rows={journal.events}
          columns={columnsOf(t, place)}
          keyOf={({ id }) => id}
          selected={opened}
          open={({ id }) => place.set({ open: id })}
          onEnd={() => void journal.older()}
        />
      )}
      {opened && journal.loaded && !journal.error && (
        <Suspense fallback={null}>
          <EventDrawer id={opened} events={journal.events} close={() => place.set({ open: null })} />
        </Suspense>
      )}
    </section>
  )
}

type PlaceQuery = ReturnType<typeof usePlaceQuery>

/** Asked of the server once it is left or Enter is pressed. */
function FilterText({ label, name, place }: { label: string; name: string; place: PlaceQuery }) {
  const apply = (text: string) => place.set({ [name]: text.trim() })
  return (
    <TextInput
      key={place.get(name)}
      className="filter-text"
      aria-label={label}
      placeholder={label}
      defaultValue={place.get(name)}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && apply(event.currentTarget.value)}
    />
  )
}

function columnsOf(t: Translate, place: PlaceQuery): Column<Event>[] {
  return [
    {
      key: 'id',
      title: t('event.position'),
      width: '84px',
      right: true,
      render: ({ id }) => <span className="mono muted">{id}</span>,
    },
    {
      key: 'time',
      title: t('event.time'),
      width: '100px',
      right: true,
      card: 'side',
      render: ({ time }) => <RelativeTime at={time} />,
    },
    {
      key: 'type',
      title: t('event.type'),
      width: 'minmax(180px, 0.6fr)',
      card: 'head',
      render: ({ id, type }) => (
        <button type="button" className="event-type" onClick={() => place.set({ open: id })}>
          {type}
        </button>
      ),
    },
    {
      key: 'actor',
      title: t('event.actor'),
      width: 'minmax(100px, 0.4fr)',
      render: ({ actor }) => actor || <span className="muted">–</span>,
    },
    {
      key: 'text',
      title: t('event.text'),
      width: 'minmax(240px, 2fr)',
      card: 'detail',
      render: (event) => <span title={event.text}>{sentenceOf(event)}</span>,
    },
  ]
}
