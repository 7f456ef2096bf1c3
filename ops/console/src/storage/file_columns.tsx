import { showAmount } from '../amount/amount'
import { hashOf } from '../app/router'
import type { Translate } from '../text/text'
import { Icon } from '../ui/icons'
import { RowActions } from '../ui/row_actions'
import { timeColumn } from '../ui/time_column'
import type { Column } from '../ui/virtual_table'
import { fileAddress, joinPath, type FileEntry } from './file_api'
import type { FileDoing } from './file_dialogs'

type Where = { folder: string; path: string; writes: boolean; t: Translate; act: (doing: FileDoing) => void }

export const bytesText = (bytes: number) => showAmount(BigInt(bytes) * 1_000_000n, 'bytes')

export function fileColumns(where: Where): Column<FileEntry>[] {
  const { writes, t, act } = where
  return [
    {
      key: 'name',
      title: t('session.name'),
      width: 'minmax(140px, 3fr)',
      card: 'head',
      render: (entry) => <Name entry={entry} where={where} />,
    },
    {
      key: 'size',
      title: t('files.size'),
      width: '92px',
      right: true,
      card: 'detail',
      render: ({ type, bytes }) =>
        type === 'file' ? (
          <span className="number">{bytesText(bytes)}</span>
        ) : (
          <span className="storage-none">–</span>
        ),
    },
    {
      ...timeColumn<FileEntry>('modified', t('files.modified'), ({ modified_at }) => modified_at),
      width: '112px',
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '72px',
      right: true,
      card: 'side',
      render: (entry) =>
        writes && (
          <RowActions
            name={entry.name}
            actions={[
              { icon: 'edit', label: t('storage.rename'), act: () => act({ kind: 'rename', entry }) },
              {
                icon: 'remove',
                label: t('action.remove'),
                danger: true,
                act: () => act({ kind: 'remove', entry }),
              },
            ]}
          />
        ),
    },
  ]
}

/** A folder leads into it, a file is fetched; what is neither, such as a socket or a link, is only told. */
function Name({ entry: { name, type }, where }: { entry: FileEntry; where: Where }) {
  const { folder, path, t } = where
  const inside = joinPath(path, name)
  if (type === 'folder')
    return (
      <a className="file-name" href={hashOf(['storage', folder], { path: inside })}>
        <Icon name="storage" size={14} />
        {name}
      </a>
    )
  if (type === 'file')
    return (
      <a className="file-name" href={fileAddress(folder, inside)} download={name}>
        <Icon name="file" size={14} />
        {name}
      </a>
    )
  return (
    <span className="muted" title={t('files.other')}>
      {name} ({t('files.other')})
    </span>
  )
}
