import { useEffect, useSyncExternalStore } from 'react'
import { useMe } from '../app/account_context'
import { queries } from '../app/identity'
import { begunUpload } from './begun_uploads'
import { dropUpload, uploadApi } from './file_api'
import { hashFile } from './hash_file'
import { Uploads, hasEndedUpload } from './uploads'

export const FILES = 'files'

const uploads = new Uploads({
  hash: hashFile,
  api: uploadApi,
  begun: begunUpload,
  drop: dropUpload,
  arrived: (folder) => void queries.invalidateQueries({ queryKey: [FILES, folder] }),
})

let owner = ''

/** The browser asks before it leaves files that are on their way. */
addEventListener('beforeunload', (event) => {
  if (uploads.all().some((upload) => !hasEndedUpload(upload))) event.preventDefault()
})

/** This tab's uploads, of the person who is signed in. */
export function useUploads() {
  const { user } = useMe()
  useEffect(() => {
    if (owner !== user) uploads.cancelAll()
    owner = user
  }, [user])
  const all = useSyncExternalStore(uploads.subscribe, uploads.all)
  return { all, uploads }
}
