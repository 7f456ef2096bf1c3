import { useState } from 'react'
import type { DiffChange, DiffEvent } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { changedFields } from './changes'
import { ClockTime } from './clock_time'

const FIELDS_SHOWN = 6

/** One row of one noun: what it was, what it is, and which events did it. */
export function DiffRow({ change }: { change: DiffChange }) {
  const { t } = useText()
  const [open, setOpen] = useState(false)
  const { noun, id, name, before, after, events, more_events } = change
  const kind = !before ? 'diff.appeared' : !after ? 'diff.gone' : 'diff.changed'
  const fields = changedFields(before ?? {}, after ?? {})
  const shown = open ? fields : fields.slice(0, before && after ? FIELDS_SHOWN : 0)
  return (
    <li className="diff-row">
      <div className="line">
        <span className={`diff-kind ${kind.replace('.', '-')}`}>{t(kind)}</span>
        <span className="muted">{noun}</span>
        <strong className="wrap">{name || id}</strong>
        <span className="grow" />
        <button type="button" className="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} size={12} />
          {t('diff.fields', { n: fields.length })}
        </button>
      </div>
      {shown.length > 0 && (
        <dl className="diff-fields">
          {shown.map(({ field, before: was, after: is }) => (
            <div key={field}>
              <dt className="mono">{field}</dt>
              <dd className="wrap">
                {was === null ? <span className="muted">–</span> : <del>{was}</del>} →{' '}
                {is === null ? <span className="muted">–</span> : <ins>{is}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Causes events={events} more={more_events} />
    </li>
  )
}

function Causes({ events, more }: { events: DiffEvent[]; more: number }) {
  const { t } = useText()
  return (
    <ul className="diff-causes">
      {events.map((event) => (
        <li key={event.position}>
          <a className="mono" href={hashOf(['events'], { open: event.position, at: null })}>
            {event.position}
          </a>
          <ClockTime at={event.time} />
          <span className="wrap">
            {event.type} <span className="muted">{event.line.replace(`${event.type} `, '')}</span>
          </span>
        </li>
      ))}
      {more > 0 && <li className="muted">{t('terminate.more', { n: more })}</li>}
    </ul>
  )
}
