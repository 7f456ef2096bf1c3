import type { Me } from '../api/identity'
import { hashOf } from '../app/router'
import type { Translate } from '../text/text'
import { RowActions, type RowAction } from '../ui/row_actions'
import { StateBadge } from '../ui/state_badge'
import { timeColumn } from '../ui/time_column'
import type { Column } from '../ui/virtual_table'
import { isInTrash, manages, mayRead, ownerText, type Access, type Folder } from './folder'
import type { Doing } from './folder_dialogs'
import { sharesText } from './share'

type Act = (doing: Doing) => void

const ACCESS = {
  own: 'access.own',
  write: 'access.write',
  read: 'access.read',
  none: 'access.none',
} as const satisfies Record<Access, string>

export const accessText = (access: Access, t: Translate) => t(ACCESS[access])

export function folderColumns(t: Translate, me: Me, act: Act): Column<Folder>[] {
  return [
    ...commonColumns(t, me),
    {
      key: 'access',
      title: t('storage.access'),
      width: '92px',
      card: 'detail',
      render: ({ access }) => accessText(access, t),
    },
    {
      key: 'shares',
      title: t('storage.shared'),
      width: 'minmax(90px, 1fr)',
      card: 'detail',
      titled: true,
      render: (folder) => <span title={sharesText(folder, t)}>{sharesText(folder, t) || '–'}</span>,
    },
    {
      key: 'sessions',
      title: t('storage.sessions'),
      width: 'minmax(120px, 1.4fr)',
      card: 'detail',
      render: (folder) => <Uses folder={folder} />,
    },
    { ...timeColumn<Folder>('created', t('session.created'), ({ created_at }) => created_at), width: '92px' },
    {
      key: 'act',
      title: t('session.control'),
      width: '104px',
      right: true,
      card: 'side',
      render: (folder) => <RowActions name={folder.name} actions={actionsOf(folder, t, me, act)} />,
    },
  ]
}

export function trashColumns(t: Translate, me: Me, act: Act): Column<Folder>[] {
  return [
    ...commonColumns(t, me),
    {
      key: 'reason',
      title: t('session.reason'),
      width: 'minmax(120px, 1.4fr)',
      card: 'detail',
      render: (folder) => <Uses folder={folder} />,
    },
    { ...timeColumn<Folder>('purge', t('storage.purge-at'), ({ purge_at }) => purge_at), width: '120px' },
    {
      key: 'act',
      title: t('session.control'),
      width: '76px',
      right: true,
      card: 'side',
      render: (folder) => <RowActions name={folder.name} actions={actionsOf(folder, t, me, act)} />,
    },
  ]
}

function commonColumns(t: Translate, me: Me): Column<Folder>[] {
  return [
    {
      key: 'name',
      title: t('session.name'),
      width: 'minmax(110px, 1.2fr)',
      card: 'head',
      render: (folder) =>
        folder.state === 'READY' && mayRead(folder) ? (
          <a href={hashOf(['storage', folder.id])}>{folder.name}</a>
        ) : (
          folder.name
        ),
    },
    {
      key: 'owner',
      title: t('session.owner'),
      width: 'minmax(84px, 0.8fr)',
      card: 'detail',
      render: (folder) => ownerText(folder, me, t),
    },
    {
      key: 'volume',
      title: t('storage.volume'),
      width: 'minmax(60px, 0.5fr)',
      card: 'detail',
      titled: true,
      render: ({ volume }) => volume.name ?? '–',
    },
    {
      key: 'state',
      title: t('session.status'),
      width: '90px',
      card: 'side',
      render: ({ state }) => <StateBadge state={state} />,
    },
  ]
}

/** The sessions that mount it; of one that is not ready, why. */
function Uses({ folder: { sessions, code, message } }: { folder: Folder }) {
  const why = message || code
  if (why) return <span title={why}>{why}</span>
  if (sessions.length === 0) return <span className="muted storage-none">–</span>
  return (
    <span className="storage-sessions">
      {sessions.map(({ id, name }) => (
        <a key={id} href={hashOf(['sessions'], { open: id })}>
          {name}
        </a>
      ))}
    </span>
  )
}

function actionsOf(folder: Folder, t: Translate, me: Me, act: Act): RowAction[] {
  const changes = manages(me, 'change', folder)
  const ends = manages(me, 'end', folder)
  const purge: RowAction = {
    icon: 'remove',
    label: t('storage.purge'),
    danger: true,
    act: () => act({ kind: 'purge', folder }),
  }
  const restore: RowAction = {
    icon: 'restore',
    label: t('storage.restore'),
    act: () => act({ kind: 'restore', folder }),
  }
  if (isInTrash(folder))
    return [
      ...(changes && folder.state === 'TRASHED' ? [restore] : []),
      ...(ends && folder.state === 'TRASHED' ? [purge] : []),
    ]
  if (folder.state === 'FAILED') return ends ? [purge] : []
  if (folder.state !== 'READY') return []
  const ownActions: RowAction[] = [
    { icon: 'edit', label: t('storage.rename'), act: () => act({ kind: 'rename', folder }) },
    { icon: 'share', label: t('storage.share'), act: () => act({ kind: 'share', folder }) },
  ]
  const trash: RowAction = {
    icon: 'remove',
    label: t('storage.to-trash'),
    danger: true,
    act: () => act({ kind: 'trash', folder }),
  }
  return [...(changes && !folder.automatic ? ownActions : []), ...(ends ? [trash] : [])]
}
