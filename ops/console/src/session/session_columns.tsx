import type { Session } from '../api/schema.gen'
import type { Translate } from '../text/text'
import { Configuration } from '../ui/configuration'
import { Elapsed, RelativeTime } from '../ui/time'
import type { Column } from '../ui/virtual_table'
import { Control, Name, Select, Status, Where } from './session_cells'
import { firstOf, type SessionRow } from './session_rows'

export type RowActions = {
  selected: ReadonlySet<string>
  select(ids: string[], on: boolean): void
  toggle(row: Extract<SessionRow, { kind: 'several' }>): void
  open(session: Session, view?: string): void
  end(sessions: Session[]): void
  launch(session: Session): void
  mayEnd(session: Session): boolean
  mayOpen(session: Session): boolean
}

type Shown = { owner: boolean; select: boolean }

export function sessionColumns(t: Translate, actions: RowActions, shown: Shown): Column<SessionRow>[] {
  const owner: Column<SessionRow>[] = [
    {
      key: 'owner',
      title: t('session.owner'),
      width: 'minmax(52px, 0.4fr)',
      card: 'detail',
      sortable: true,
      render: (row) => <span title={ownerText(firstOf(row))}>{firstOf(row).owner.user}</span>,
    },
  ]
  const select: Column<SessionRow>[] = [
    {
      key: 'select',
      title: t('session.select'),
      width: '20px',
      card: 'act',
      render: (row) => <Select row={row} actions={actions} />,
    },
  ]
  return [
    ...(shown.select ? select : []),
    {
      key: 'name',
      title: t('session.name'),
      width: 'minmax(100px, 1fr)',
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
      width: 'minmax(122px, 2.4fr)',
      card: 'detail',
      render: (row) => <Where row={row} />,
    },
    {
      key: 'configuration',
      title: t('session.configuration'),
      width: '172px',
      right: true,
      card: 'detail',
      render: (row) => <Configuration resources={firstOf(row).resources} />,
    },
    {
      key: 'image',
      title: t('session.image'),
      width: 'minmax(76px, 0.7fr)',
      sortable: true,
      render: (row) => <span title={firstOf(row).image}>{firstOf(row).image}</span>,
    },
    ...(shown.owner ? owner : []),
    {
      key: 'start',
      title: t('session.start'),
      width: '78px',
      right: true,
      render: (row) => <RelativeTime at={firstOf(row).running_at ?? firstOf(row).created_at} />,
    },
    {
      key: 'usage',
      title: t('session.usage'),
      width: '74px',
      right: true,
      render: (row) => <Elapsed from={firstOf(row).running_at} to={firstOf(row).ended_at} />,
    },
    {
      key: 'control',
      title: t('session.control'),
      width: '98px',
      right: true,
      card: 'side',
      render: (row) => <Control row={row} actions={actions} />,
    },
  ]
}

const ownerText = ({ owner }: Session) => `${owner.domain} / ${owner.project} / ${owner.user}`
