import { call } from '../api/client'
import { useMe } from '../app/account_context'
import { useText } from '../text/text'
import { EditDialog, type Field } from '../ui/edit_dialog'
import { folderPath, type Folder, type Volume } from './folder'
import { ShareDialog } from './share_dialog'
import { useFoldersAgain } from './use_folders'

export type Doing =
  { kind: 'create' } | { kind: 'rename' | 'share' | 'trash' | 'restore' | 'purge'; folder: Folder }

type Props = { doing: Doing; folders: Folder[]; volumes: Volume[]; close: () => void }

/** Whatever is being done to a folder, as it is now. */
export function FolderDialogs({ doing, folders, volumes, close }: Props) {
  if (doing.kind === 'create') return <CreateFolder volumes={volumes} close={close} />
  const folder = folders.find(({ id }) => id === doing.folder.id) ?? doing.folder
  const Dialog = {
    rename: RenameFolder,
    share: ShareDialog,
    trash: TrashFolder,
    restore: RestoreFolder,
    purge: PurgeFolder,
  }[doing.kind]
  return <Dialog folder={folder} close={close} />
}

type Method = 'POST' | 'PATCH' | 'DELETE'

/** Asks for a change and has the folders read again before it is done. */
function useFolderChange() {
  const again = useFoldersAgain()
  return async (method: Method, path: string, body: object | undefined, reason: string) => {
    await call(method, path, { body, query: { reason } })
    await again()
  }
}

function CreateFolder({ volumes, close }: { volumes: Volume[]; close: () => void }) {
  const { t } = useText()
  const me = useMe()
  const change = useFolderChange()
  const projects = me.projects.filter(({ admin }) => admin).map(({ project }) => project)
  const usable = volumes.filter(({ available }) => available)
  const ownerField: Field = {
    name: 'project',
    label: t('session.owner'),
    kind: 'select',
    choices: [
      { value: '', label: t('storage.mine') },
      ...projects.map((project) => ({ value: project, label: t('storage.of-project', { project }) })),
    ],
  }
  const volumeField: Field = {
    name: 'volume',
    label: t('storage.volume'),
    kind: 'select',
    choices: usable.map(({ id, name }) => ({ value: id, label: name })),
  }
  return (
    <EditDialog
      title={t('storage.create')}
      fields={[
        { name: 'name', label: t('session.name'), required: true, hint: t('storage.name-hint') },
        ...(projects.length > 0 ? [ownerField] : []),
        ...(usable.length > 1 ? [volumeField] : []),
      ]}
      initial={{ project: '', volume: usable[0]?.id ?? '' }}
      action={t('action.add')}
      effect={() => null}
      submit={({ name, project, volume }, reason) =>
        change(
          'POST',
          '/v1/folders',
          { name, ...(project && { project }), ...(usable.length > 1 && { volume }) },
          reason,
        )
      }
      close={close}
    />
  )
}

type FolderProps = { folder: Folder; close: () => void }

function RenameFolder({ folder, close }: FolderProps) {
  const { t } = useText()
  const change = useFolderChange()
  return (
    <EditDialog
      title={t('storage.rename-of', { name: folder.name })}
      fields={[{ name: 'name', label: t('session.name'), required: true, hint: t('storage.name-hint') }]}
      initial={{ name: folder.name }}
      action={t('action.save')}
      blocked={({ name }) => name === folder.name}
      submit={({ name }, reason) => change('PATCH', folderPath(folder), { name }, reason)}
      close={close}
    />
  )
}

function TrashFolder({ folder, close }: FolderProps) {
  const { t } = useText()
  const change = useFolderChange()
  const { name, sessions } = folder
  return (
    <EditDialog
      title={t('storage.trash-of', { name })}
      fields={[]}
      action={t('storage.to-trash')}
      danger
      effect={() => (
        <>
          {sessions.length > 0 && (
            <p className="said state-wait">
              {t('storage.mounted-by', { names: sessions.map((session) => session.name).join(', ') })}
            </p>
          )}
          <p className="said">{t('storage.trash-effect')}</p>
        </>
      )}
      blocked={() => sessions.length > 0}
      submit={(_, reason) => change('POST', `${folderPath(folder)}/trash`, {}, reason)}
      close={close}
    />
  )
}

/** Its name may be another's by now. */
function RestoreFolder({ folder, close }: FolderProps) {
  const { t } = useText()
  const change = useFolderChange()
  return (
    <EditDialog
      title={t('storage.restore-of', { name: folder.name })}
      fields={[{ name: 'name', label: t('session.name'), required: true, hint: t('storage.restore-hint') }]}
      initial={{ name: folder.name }}
      action={t('storage.restore')}
      submit={({ name }, reason) =>
        change('POST', `${folderPath(folder)}/restore`, name === folder.name ? {} : { name }, reason)
      }
      close={close}
    />
  )
}

/** Nothing brings it back: its name is typed first. */
function PurgeFolder({ folder, close }: FolderProps) {
  const { t } = useText()
  const change = useFolderChange()
  return (
    <EditDialog
      title={t('storage.purge-of', { name: folder.name })}
      fields={[{ name: 'typed', label: t('storage.type-name', { name: folder.name }), required: true }]}
      action={t('storage.purge')}
      danger
      effect={() => <p className="said">{t('storage.purge-effect')}</p>}
      blocked={({ typed }) => typed !== folder.name}
      submit={(_, reason) => change('DELETE', folderPath(folder), undefined, reason)}
      close={close}
    />
  )
}
