import { useMemo, useState } from 'react'
import { Button, TextInput } from '@mantine/core'
import { may } from '../api/identity'
import { useMe } from '../app/account_context'
import { usePlaceQuery } from '../app/router'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { Failed, Loading, PageState } from '../ui/page_state'
import { VirtualTable } from '../ui/virtual_table'
import { byFolderName, isInTrash, type Folder } from './folder'
import { folderColumns, trashColumns } from './folder_columns'
import { FolderDialogs, type Doing } from './folder_dialogs'
import { useFolders, useVolumes } from './use_folders'

/** Folders and the trash: what each is, who has it and which sessions mount it. */
export function FolderPage() {
  const { t } = useText()
  const me = useMe()
  const place = usePlaceQuery()
  const inTrash = place.get('tab') === 'trash'
  const folders = useFolders()
  const volumes = useVolumes()
  const [doing, setDoing] = useState<Doing | null>(null)
  const text = place.get('q').toLowerCase()
  const all = useMemo(() => (folders.data ?? []).toSorted(byFolderName), [folders.data])
  const ofTab = all.filter((folder) => isInTrash(folder) === inTrash)
  const shown = ofTab.filter(({ name }) => name.toLowerCase().includes(text))
  const columns = useMemo(
    () => (inTrash ? trashColumns(t, me, setDoing) : folderColumns(t, me, setDoing)),
    [inTrash, t, me],
  )
  const hasVolumes = volumes.data === undefined || volumes.data.length > 0
  return (
    <section className="page">
      <div className="page-head">
        <h1>{t('nav.storage')}</h1>
        <Tabs inTrash={inTrash} folders={all} set={place.set} />
        <span className="grow" />
        <TextInput
          className="filter-text"
          aria-label={t('admin.filter')}
          placeholder={t('admin.filter')}
          leftSection={<Icon name="search" size={14} />}
          value={place.get('q')}
          onChange={(event) => place.set({ q: event.currentTarget.value })}
        />
        {may(me, 'folder', 'create') && (
          <Button
            leftSection={<Icon name="add" size={14} />}
            disabled={!hasVolumes}
            onClick={() => setDoing({ kind: 'create' })}
          >
            {t('storage.create')}
          </Button>
        )}
      </div>
      {folders.error ? (
        <Failed error={folders.error} retry={() => void folders.refetch()} />
      ) : !folders.data ? (
        <Loading />
      ) : shown.length === 0 ? (
        <Empty filtered={text !== '' && ofTab.length > 0} inTrash={inTrash} hasVolumes={hasVolumes} />
      ) : (
        <VirtualTable label={t('nav.storage')} rows={shown} columns={columns} keyOf={({ id }) => id} />
      )}
      {doing && (
        <FolderDialogs
          doing={doing}
          folders={all}
          volumes={volumes.data ?? []}
          close={() => setDoing(null)}
        />
      )}
    </section>
  )
}

type TabsProps = {
  inTrash: boolean
  folders: Folder[]
  set: (changes: Record<string, string | null>) => void
}

function Tabs({ inTrash, folders, set }: TabsProps) {
  const { t } = useText()
  const count = folders.filter(isInTrash).length
  return (
    <div className="tabs" role="tablist" aria-label={t('nav.storage')}>
      <button type="button" role="tab" aria-selected={!inTrash} onClick={() => set({ tab: null })}>
        {t('storage.folders')} <span className="number tab-count">{folders.length - count}</span>
      </button>
      <button type="button" role="tab" aria-selected={inTrash} onClick={() => set({ tab: 'trash' })}>
        {t('storage.trash')} <span className="number tab-count">{count}</span>
      </button>
    </div>
  )
}

function Empty({
  filtered,
  inTrash,
  hasVolumes,
}: {
  filtered: boolean
  inTrash: boolean
  hasVolumes: boolean
}) {
  const { t } = useText()
  if (filtered) return <PageState icon="search" title={t('admin.none-match')} />
  if (inTrash) return <PageState icon="remove" title={t('storage.trash-none')} />
  return (
    <PageState icon="storage" title={t(hasVolumes ? 'storage.none' : 'storage.no-volumes')}>
      <p>{t(hasVolumes ? 'storage.none.hint' : 'storage.no-volumes.hint')}</p>
    </PageState>
  )
}
