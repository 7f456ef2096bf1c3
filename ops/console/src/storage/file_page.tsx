import { useMemo, useRef, useState, type DragEvent } from 'react'
import { Button } from '@mantine/core'
import { hashOf, usePlaceQuery } from '../app/router'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { Failed, Loading, PageState } from '../ui/page_state'
import { VirtualTable } from '../ui/virtual_table'
import { Breadcrumbs } from './breadcrumbs'
import { chosenFiles, droppedFiles } from './dropped'
import { joinPath, type FileEntry } from './file_api'
import { fileColumns } from './file_columns'
import { FileDialogs, type FileDoing } from './file_dialogs'
import { mayRead, mayWrite, type Folder } from './folder'
import { UploadPanel } from './upload_panel'
import { useFiles, useFilesAgain } from './use_files'
import { useFolder } from './use_folders'
import { useUploads } from './use_uploads'

/** The files of a folder: one level at a time, to fetch, bring, rename and remove. */
export default function FilePage({ folder: id }: { folder: string }) {
  const folder = useFolder(id)
  const { t } = useText()
  if (folder.error) return <Failed error={folder.error} retry={() => void folder.refetch()} />
  if (!folder.data) return <Loading />
  if (folder.data.state !== 'READY')
    return (
      <PageState icon="storage" title={t('files.not-ready', { name: folder.data.name })}>
        <p>{folder.data.message || folder.data.state}</p>
        <a href={hashOf(['storage'])}>{t('nav.storage')}</a>
      </PageState>
    )
  if (!mayRead(folder.data))
    return (
      <PageState icon="warn" title={t('files.denied')}>
        <a href={hashOf(['storage'])}>{t('nav.storage')}</a>
      </PageState>
    )
  return <Files folder={folder.data} />
}

function Files({ folder }: { folder: Folder }) {
  const { t } = useText()
  const path = usePlaceQuery().get('path')
  const { files, entries, unnamed, more } = useFiles(folder.id, path, true)
  const [doing, setDoing] = useState<FileDoing | null>(null)
  const [refused, setRefused] = useState<string[]>([])
  const { uploads } = useUploads()
  const writes = mayWrite(folder)
  const columns = useMemo(
    () => fileColumns({ folder: folder.id, path, writes, t, act: setDoing }),
    [folder.id, path, writes, t],
  )
  const add = (chosen: File[]) =>
    uploads.add(
      folder.id,
      chosen.map((file) => ({ file, path: joinPath(path, file.name) })),
    )
  const drop = useDrop(writes, (transfer) => {
    const dropped = droppedFiles(transfer)
    setRefused(dropped.folders)
    add(dropped.files)
  })
  return (
    <section className={drop.over ? 'page files-over' : 'page'} {...drop.handlers}>
      <div className="page-head">
        <Breadcrumbs folder={folder} path={path} />
        <span className="grow" />
        <Acts writes={writes} add={add} makeFolder={() => setDoing({ kind: 'mkdir' })} folder={folder.id} />
      </div>
      {refused.length > 0 && (
        <p className="said state-wait" role="alert">
          {t('files.no-folders', { names: refused.join(', ') })}
        </p>
      )}
      {files.error ? (
        <Failed error={files.error} retry={() => void files.refetch()} />
      ) : files.isPending ? (
        <Loading />
      ) : entries.length === 0 ? (
        <PageState icon="storage" title={t('files.none')}>
          {writes && <p>{t('files.none.hint')}</p>}
        </PageState>
      ) : (
        <VirtualTable
          label={t('files.of', { name: folder.name })}
          rows={entries}
          columns={columns}
          keyOf={keyOf}
          onEnd={more}
        />
      )}
      {unnamed > 0 && <p className="said muted">{t('files.not-utf8', { n: unnamed })}</p>}
      <UploadPanel folder={folder.id} />
      {doing && <FileDialogs folder={folder.id} path={path} doing={doing} close={() => setDoing(null)} />}
    </section>
  )
}

const keyOf = ({ name }: FileEntry) => name

type ActsProps = { folder: string; writes: boolean; add: (files: File[]) => void; makeFolder: () => void }

function Acts({ folder, writes, add, makeFolder }: ActsProps) {
  const { t } = useText()
  const again = useFilesAgain(folder)
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="default" onClick={() => void again()}>
        {t('files.again')}
      </Button>
      {writes && (
        <>
          <Button variant="default" leftSection={<Icon name="add" size={14} />} onClick={makeFolder}>
            {t('storage.create')}
          </Button>
          <Button
            leftSection={<Icon name="upload" size={14} />}
            title={t('files.drop')}
            onClick={() => input.current?.click()}
          >
            {t('files.upload')}
          </Button>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            onChange={(event) => add(chosenFiles(event.currentTarget))}
          />
        </>
      )}
    </>
  )
}

/** Files that are dragged over an element, and dropped on it. */
function useDrop(enabled: boolean, dropped: (transfer: DataTransfer) => void) {
  const [over, setOver] = useState(false)
  if (!enabled) return { over: false, handlers: {} }
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
    },
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      dropped(event.dataTransfer)
    },
  }
  return { over, handlers }
}
