import { Checkbox } from '@mantine/core'
import type { Session } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { hasEnded } from '../live/tables'
import { useText, type Translate } from '../text/text'
import { Configuration } from '../ui/configuration'
import { Icon } from '../ui/icons'
import { StateBadge } from '../ui/state_badge'
import { Elapsed, RelativeTime } from '../ui/time'
import type { Column } from '../ui/virtual_table'
import { ReasonText } from './reason_text'
import { countStatuses, firstOf, sessionsOf, type SessionRow } from './session_rows'

export type RowActions = {
  selected: ReadonlySet<string>
  select(ids: string[], on: boolean): void
  toggle(row: Extract<SessionRow, { kind: 'several' }>): void
  open(session: Session, view?: string): void
  end(sessions: Session[]): void
  mayEnd(session: Session): boolean
}

export function sessionColumns(
  t: Translate,
  actions: RowActions,
  showOwner: boolean,
  all: Session[],
): Column<SessionRow>[] {
  const owner: Column<SessionRow>[] = [
    {
      key: 'owner',
      title: t('session.owner'),
      width: 'minmax(64px, 0.6fr)',
      card: 'detail',
      sortable: true,
      render: (row) => <span title={ownerText(firstOf(row))}>{firstOf(row).owner.user}</span>,
    },
  ]
  return [
    {
      key: 'select',
      title: t('session.select'),
      width: '20px',
      card: 'act',
      heading: <SelectAll actions={actions} all={all} />,
      render: (row) => <Select row={row} actions={actions} />,
    },
    {
      key: 'name',
      title: t('session.name'),
      width: 'minmax(110px, 1.4fr)',
      card: 'head',
      sortable: true,
      render: (row) => <Name row={row} actions={actions} />,
    },
    {
      key: 'id',
      title: t('session.id'),
      width: '62px',
      render: (row) =>
        row.kind === 'one' && (
          <span className="mono muted" title={row.session.id}>
            {row.session.id.slice(0, 8)}
          </span>
        ),
    },
    {
      key: 'status',
      title: t('session.status'),
      width: '112px',
      card: 'side',
      sortable: true,
      render: (row) => <Status row={row} />,
    },
    {
      key: 'where',
      title: t('session.where'),
      width: 'minmax(110px, 1.2fr)',
      card: 'detail',
      render: (row) => <Where row={row} />,
    },
    {
      key: 'configuration',
      title: t('session.configuration'),
      width: '184px',
      right: true,
      card: 'detail',
      render: (row) => <Configuration resources={firstOf(row).resources} />,
    },
    {
      key: 'image',
      title: t('session.image'),
      width: 'minmax(90px, 1fr)',
      sortable: true,
      render: (row) => <span title={firstOf(row).image}>{firstOf(row).image}</span>,
    },
    ...(showOwner ? owner : []),
    {
      key: 'start',
      title: t('session.start'),
      width: '86px',
      right: true,
      sortable: true,
      render: (row) => <RelativeTime at={firstOf(row).running_at ?? firstOf(row).created_at} />,
    },
    {
      key: 'usage',
      title: t('session.usage'),
      width: '80px',
      right: true,
      render: (row) => <Elapsed from={firstOf(row).running_at} to={firstOf(row).ended_at} />,
    },
    {
      key: 'control',
      title: t('session.control'),
      width: '56px',
      right: true,
      card: 'side',
      render: (row) => <Control row={row} actions={actions} />,
    },
  ]
}

const ownerText = ({ owner }: Session) => `${owner.domain} / ${owner.project} / ${owner.user}`

function SelectAll({ actions, all }: { actions: RowActions; all: Session[] }) {
  const { t } = useText()
  const open = all.filter((session) => !hasEnded(session) && actions.mayEnd(session))
  const every = open.length > 0 && open.every((session) => actions.selected.has(session.id))
  return (
    <Checkbox
      aria-label={t('session.select-all')}
      checked={every}
      disabled={open.length === 0}
      indeterminate={!every && actions.selected.size > 0}
      onChange={(event) =>
        actions.select(
          open.map(({ id }) => id),
          event.currentTarget.checked,
        )
      }
    />
  )
}

function Select({ row, actions }: { row: SessionRow; actions: RowActions }) {
  const { t } = useText()
  const open = sessionsOf(row).filter((session) => !hasEnded(session) && actions.mayEnd(session))
  if (open.length === 0) return null
  const chosen = open.filter((session) => actions.selected.has(session.id)).length
  return (
    <Checkbox
      aria-label={t('session.select-one', { name: row.kind === 'one' ? row.session.name : row.name })}
      checked={chosen === open.length}
      indeterminate={chosen > 0 && chosen < open.length}
      onChange={(event) =>
        actions.select(
          open.map(({ id }) => id),
          event.currentTarget.checked,
        )
      }
    />
  )
}

function Name({ row, actions }: { row: SessionRow; actions: RowActions }) {
  const { t } = useText()
  if (row.kind === 'one') {
    return (
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

function Status({ row }: { row: SessionRow }) {
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

/** Where it runs; while it does not, why. */
function Where({ row }: { row: SessionRow }) {
  const agents = new Set(sessionsOf(row).flatMap((session) => (hasEnded(session) ? [] : session.agents)))
  return agents.size > 0 ? [...agents].sort().join(', ') : <ReasonText session={firstOf(row)} />
}

function Control({ row, actions }: { row: SessionRow; actions: RowActions }) {
  const { t } = useText()
  const open = sessionsOf(row).filter((session) => !hasEnded(session) && actions.mayEnd(session))
  const name = row.kind === 'one' ? row.session.name : row.name
  return (
    <span className="session-control">
      {row.kind === 'one' && (
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
