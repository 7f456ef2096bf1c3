import type { Session } from '../api/schema.gen'
import { hashOf, useMoment } from '../app/router'
import { hasEnded } from '../live/tables'
import { terminalHash } from '../terminal/terminal_address'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { nameOfShared } from '../ui/shared_with'
import { StateBadge } from '../ui/state_badge'
import { Tick } from '../ui/tick'
import { ReasonText } from './reason_text'
import type { RowActions } from './session_columns'
import { countStatuses, firstOf, sessionsOf, type SessionRow } from './session_rows'

/** Above the column of ticks: all that the filter shows, for those who may end them. */
export function SelectAll({ actions, all }: { actions: RowActions; all: Session[] }) {
  const { t } = useText()
  const { selected } = actions
  const endable = () => all.filter((session) => !hasEnded(session) && actions.mayEnd(session))
  const every = selected.size > 0 && endable().every((session) => selected.has(session.id))
  return (
    <Tick
      label={t('session.select-all')}
      checked={every}
      some={!every && selected.size > 0}
      onChange={(on) => {
        const ids = endable().map(({ id }) => id)
        actions.select(ids, on)
      }}
    />
  )
}

export function Select({ row, actions }: { row: SessionRow; actions: RowActions }) {
  const { t } = useText()
  const open = sessionsOf(row).filter((session) => !hasEnded(session) && actions.mayEnd(session))
  if (open.length === 0) return null
  const ids = open.map(({ id }) => id)
  const chosen = ids.filter((id) => actions.selected.has(id)).length
  return (
    <Tick
      label={t('session.select-one', { name: row.kind === 'one' ? row.session.name : row.name })}
      checked={chosen === ids.length}
      some={chosen > 0 && chosen < ids.length}
      onChange={(on) => actions.select(ids, on)}
    />
  )
}

export function Name({ row, actions }: { row: SessionRow; actions: RowActions }) {
  const { t } = useText()
  if (row.kind === 'one') {
    return (
      <>
        <a
          className={row.inside ? 'session-inside' : undefined}
          href={hashOf(['sessions'], { open: row.session.id })}
          onClick={(event) => {
            event.preventDefault()
            actions.open(row.session)
          }}
        >
          {row.session.name}
        </a>
        <SharedMark session={row.session} />
      </>
    )
  }
  return (
    <button
      type="button"
      className="session-several"
      aria-expanded={row.open}
      onClick={() => actions.toggle(row)}
    >
      <Icon name={row.open ? 'down' : 'right'} size={12} />
      {row.name}
      <span className="muted">{t('session.times', { n: row.sessions.length })}</span>
    </button>
  )
}

/** A session that others use, too, or whose owner is somebody else. */
function SharedMark({ session }: { session: Session }) {
  const { t } = useText()
  const { shared, shares, owner } = session
  if (!shared && !shares?.length) return null
  const text = shared
    ? t('session.shared-by', { name: owner.user })
    : t('session.shared-with', {
        names: shares?.map((share) => nameOfShared(share, owner.domain)).join(', ') ?? '',
      })
  return (
    <span className="session-shared" role="img" aria-label={text} title={text}>
      <Icon name="share" size={12} />
    </span>
  )
}

export function Status({ row }: { row: SessionRow }) {
  const counts = countStatuses(sessionsOf(row))
  const [first] = counts
  if (!first) return null
  if (counts.length === 1) return <StateBadge state={first[0]} />
  return (
    <span className="session-counts">
      {counts.slice(0, 2).map(([status, count]) => (
        <span key={status} title={`${count} ${status}`} className="session-count">
          <span className="number">{count}</span>
          <StateBadge state={status} />
        </span>
      ))}
    </span>
  )
}

const GONE = { LOST: 'session.agent-gone.LOST', LEFT: 'session.agent-gone.LEFT' } as const

/** Where it runs; while it does not, why. */
export function Where({ row }: { row: SessionRow }) {
  const { t } = useText()
  const live = sessionsOf(row).filter((session) => !hasEnded(session))
  const agents = [...new Set(live.flatMap((session) => session.agents))].sort()
  if (agents.length === 0) return <ReasonText session={firstOf(row)} />
  const gone = new Map<string, 'LOST' | 'LEFT'>()
  for (const { agent_gone } of live) if (agent_gone) gone.set(agent_gone.agent, agent_gone.state)
  return agents
    .map((agent) => {
      const state = gone.get(agent)
      return state ? t(GONE[state], { agent }) : agent
    })
    .join(', ')
}

export function Control({ row, actions }: { row: SessionRow; actions: RowActions }) {
  const { t } = useText()
  const isPast = useMoment() !== ''
  const open = sessionsOf(row).filter((session) => !hasEnded(session) && actions.mayEnd(session))
  const name = row.kind === 'one' ? row.session.name : row.name
  return (
    <span className="row-control">
      {row.kind === 'one' && actions.mayOpen(row.session) && (
        <button
          type="button"
          className="quiet"
          aria-label={t('session.apps-of', { name })}
          title={t('session.apps')}
          onClick={() => actions.launch(row.session)}
        >
          <Icon name="apps" size={14} />
        </button>
      )}
      {row.kind === 'one' && actions.mayOpen(row.session) && (
        <a
          className="quiet"
          href={terminalHash({ session: row.session.id })}
          target="_blank"
          rel="noopener"
          aria-label={t('session.console-of', { name })}
          title={t('session.console')}
        >
          <Icon name="terminal" size={14} />
        </a>
      )}
      {row.kind === 'one' && !isPast && (
        <button
          type="button"
          className="quiet"
          aria-label={t('session.logs-of', { name })}
          title={t('session.logs')}
          onClick={() => actions.open(row.session, 'log')}
        >
          <Icon name="log" size={14} />
        </button>
      )}
      {open.length > 0 && (
        <button
          type="button"
          className="quiet quiet-danger"
          aria-label={t('session.terminate-of', { name })}
          title={t('session.terminate')}
          onClick={() => actions.end(open)}
        >
          <Icon name="power" size={14} />
        </button>
      )}
    </span>
  )
}
