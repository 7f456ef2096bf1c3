import type { Event } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { DecisionSection } from '../decision/decision_section'
import { useText } from '../text/text'
import { CopyText } from '../ui/copy_text'
import { DetailDrawer } from '../ui/detail_drawer'
import { FailureText, Loading, failureTitle } from '../ui/page_state'
import { RelativeTime } from '../ui/time'
import { sentenceOf } from './event_text'
import { useEvent } from './use_event'

type Props = { id: string; events: Event[]; close: () => void }

/** One event whole: what led to it, and its data as the journal has it. */
export default function EventDrawer({ id, events, close }: Props) {
  const { t } = useText()
  const { event, error, retry } = useEvent(id, events)
  return (
    <DetailDrawer
      title={event ? event.type : t(error ? failureTitle(error) : 'state.loading')}
      size={620}
      close={close}
    >
      {event ? (
        <EventBody event={event} events={events} />
      ) : error ? (
        <div className="page-state">
          <FailureText error={error} retry={retry} />
        </div>
      ) : (
        <Loading />
      )}
    </DetailDrawer>
  )
}

type Body = { event: Event; events: Event[] }

function EventBody({ event, events }: Body) {
  const { t } = useText()
  const json = JSON.stringify(event, null, 2)
  return (
    <div className="stack">
      <p className="event-sentence">{sentenceOf(event)}</p>
      <dl className="event-facts">
        <dt>{t('event.position')}</dt>
        <dd className="mono">
          {event.id} ({event.position})
        </dd>
        <dt>{t('event.time')}</dt>
        <dd>
          <RelativeTime at={event.time} />
        </dd>
        <dt>{t('event.actor')}</dt>
        <dd>{event.actor || '–'}</dd>
        {event.session && (
          <>
            <dt>{t('event.session')}</dt>
            <dd>
              <a className="mono" href={hashOf(['sessions'], { open: event.session })}>
                {event.session}
              </a>
            </dd>
          </>
        )}
      </dl>
      <CauseChain event={event} events={events} />
      <DecisionSection event={event} />
      <div className="line">
        <h2>{t('event.data')}</h2>
        <span className="grow" />
        <CopyText text={json} hidden />
      </div>
      <pre className="event-json mono" tabIndex={0} aria-label={t('event.data')}>
        {json}
      </pre>
    </div>
  )
}

/** What caused it, what caused that, as far back as the page has read. */
function CauseChain({ event, events }: Body) {
  const { t } = useText()
  const chain: Event[] = []
  for (let next = causeOf(event, events); next && chain.length < 20; next = causeOf(next, events))
    chain.push(next)
  if (chain.length === 0)
    return event.cause ? (
      <p className="muted">
        {t('event.caused-by')} <span className="mono">{event.cause}</span>
      </p>
    ) : null
  return (
    <div>
      <h2>{t('event.caused-by')}</h2>
      <ol className="event-chain">
        {chain.map((one) => (
          <li key={one.id}>
            <a href={hashOf(['events'], { open: one.id })}>{one.type}</a>{' '}
            <span className="muted">{sentenceOf(one)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

const causeOf = (event: Event, events: Event[]) =>
  event.cause ? events.find(({ position }) => position === event.cause) : undefined
