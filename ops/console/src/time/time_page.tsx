import { useState } from 'react'
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import { may } from '../api/identity'
import type { EventList } from '../api/schema.gen'
import { queries } from '../app/identity'
import { ROUTES, TIME } from '../app/routes'
import { hashOf, setQuery, useMoment } from '../app/router'
import { sentenceOf } from '../event/event_text'
import { hasEnded } from '../live/tables'
import { useTable } from '../live/use_live'
import { offsetOf } from '../past/span'
import { TimeControls } from '../past/time_controls'
import { useMeOfNow, useRecordOf } from '../past/world'
import { countStatuses } from '../session/session_rows'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { Failed, Loading } from '../ui/page_state'
import { StateBadge } from '../ui/state_badge'
import { ClockTime } from './clock_time'
import { DiffSection } from './diff_section'
import { instantOf, localText } from './local_time'
import './time.css'

/** Puts every page into the past, and compares two moments. */
export default function TimePage() {
  const { t } = useText()
  const at = useMoment()
  return (
    <section className="page page-long time-page">
      <div className="page-head">
        <h1>{t('nav.time')}</h1>
        <span className="muted">{t(at ? 'time.what-past' : 'time.what-now')}</span>
      </div>
      <div className="time-card">
        <TimeControls />
        <Jump key={at} at={at} />
      </div>
      <div className="time-columns">
        <Summary at={at} />
        <Before at={at} />
      </div>
      <DiffSection />
    </section>
  )
}

/** The moment as it is typed: a local time, or a position in the log. */
function Jump({ at }: { at: string }) {
  const { t } = useText()
  const { data } = useRecordOf(at)
  const [time, setTime] = useState<string | null>(null)
  const [position, setPosition] = useState<string | null>(null)
  const go = (moment: string | null) => moment && setQuery({ at: moment }, {})
  return (
    <form
      className="line time-jump"
      onSubmit={(event) => {
        event.preventDefault()
        go(position !== null ? position.trim() : time === null ? null : instantOf(time))
      }}
    >
      <TextInput
        type="datetime-local"
        step={1}
        label={t('time.at')}
        value={time ?? localText(data?.time)}
        onChange={(event) => setTime(event.currentTarget.value)}
        onBlur={() => time !== null && go(instantOf(time))}
      />
      <TextInput
        label={t('event.position')}
        className="time-position"
        autoComplete="off"
        value={position ?? data?.position ?? ''}
        onChange={(event) => setPosition(event.currentTarget.value)}
        onBlur={() => position !== null && go(position.trim())}
      />
      <button type="submit" className="unseen" tabIndex={-1}>
        {t('time.go')}
      </button>
    </form>
  )
}

/** What there was, and the way to each page as it was. */
function Summary({ at }: { at: string }) {
  const { t } = useText()
  const me = useMeOfNow()
  const sessions = useTable('sessions')
  const agents = useTable('agents')
  const alive = [...agents.rows.values()].filter(({ state }) => state === 'ALIVE').length
  const open = [...sessions.rows.values()].filter((session) => !hasEnded(session))
  const failure = sessions.failure ?? agents.failure
  if (failure) return <Failed error={failure} retry={() => location.reload()} />
  return (
    <section className="time-card" aria-label={t('time.there-was')}>
      <h2>{t(at ? 'time.there-was' : 'time.there-is')}</h2>
      {sessions.loaded && agents.loaded ? (
        <ul className="time-counts">
          {countStatuses(open).map(([status, count]) => (
            <li key={status}>
              <span className="number">{count}</span> <StateBadge state={status} />
            </li>
          ))}
          {open.length === 0 && <li>{t('session.none')}</li>}
          <li>{t('time.agents', { alive, all: agents.rows.size })}</li>
        </ul>
      ) : (
        <p className="muted">{t('state.loading')}</p>
      )}
      <nav className="line" aria-label={t('time.pages')}>
        {ROUTES.filter((route) => route.hasPast && route.name !== TIME && route.open(me)).map((route) => (
          <a key={route.name} className="time-link" href={hashOf([route.name])}>
            <Icon name={route.icon} size={14} />
            {t(route.title)}
          </a>
        ))}
      </nav>
    </section>
  )
}

const LOOKED_BACK = 200
const SHOWN = 8

/** The newest events of the moment, for who may see them. */
function Before({ at }: { at: string }) {
  const { t } = useText()
  const seesEvents = may(useMeOfNow(), 'event', 'see')
  const record = useRecordOf(at)
  const offset = record.data ? offsetOf(record.data.position) : 0
  const events = useQuery(
    {
      queryKey: ['events-before', offset],
      queryFn: ({ signal }) => {
        const query = { from: Math.max(0, offset - LOOKED_BACK), to: offset, limit: 1000 }
        return call<EventList>('GET', '/v1/events', { query, signal })
      },
      enabled: seesEvents && at !== '' && record.data !== undefined,
      staleTime: Infinity,
      placeholderData: (before) => before,
    },
    queries,
  )
  if (!seesEvents || at === '') return null
  return (
    <section className="time-card" aria-label={t('time.before')}>
      <h2>{t('time.before')}</h2>
      {events.error ? (
        <Failed error={events.error} retry={() => void events.refetch()} />
      ) : !events.data ? (
        <Loading />
      ) : (
        <ol className="time-events">
          {events.data.events
            .slice(-SHOWN)
            .reverse()
            .map((event) => (
              <li key={event.id}>
                <a className="mono" href={hashOf([TIME], { at: String(event.offset) })}>
                  {event.id}
                </a>
                <ClockTime at={event.time} />
                <span className="clip" title={event.text}>
                  {event.type} <span className="muted">{sentenceOf(event)}</span>
                </span>
              </li>
            ))}
        </ol>
      )}
    </section>
  )
}
