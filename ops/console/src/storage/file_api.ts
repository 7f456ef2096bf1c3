import { call, part, withQuery } from '../api/client'
import { folderPath } from './folder'
import type { Progress, UploadApi } from './send_file'

/** A line of a folder's listing. */
export type FileEntry = {
  name: string
  type: 'file' | 'folder' | 'other'
  bytes: number
  modified_at: string | null
  mode: string
}

/** `not_utf8`: entries of the whole folder that are not listed, as their names are no text. */
export type Listing = { items: FileEntry[]; next: string | null; not_utf8: number }

type Change =
  | { op: 'mkdir'; path: string }
  | { op: 'rename'; path: string; to: string }
  | { op: 'remove'; path: string; recursive?: boolean }

export const joinPath = (...parts: string[]) => parts.filter(Boolean).join('/')

export const changeFiles = (folder: string, change: Change) =>
  call('POST', `${folderPath({ id: folder })}/files`, { body: change })

export const fileAddress = (folder: string, path: string) =>
  withQuery(`${folderPath({ id: folder })}/file`, { path })

export function uploadApi(folder: string, signal: AbortSignal): UploadApi {
  const uploads = `${folderPath({ id: folder })}/uploads`
  const one = (upload: string) => `${uploads}/${part(upload)}`
  return {
    begin: (path, bytes, sha256, overwrite) =>
      call<Progress>('POST', uploads, {
        body: { path, bytes, sha256, ...(overwrite && { overwrite }) },
        signal,
      }),
    progress: (upload) => call<Progress>('GET', one(upload), { signal, byHand: true }),
    put: (upload, offset, bytes, sha256) =>
      call<Progress>('PUT', one(upload), {
        query: { offset },
        bytes,
        headers: { 'X-Berth-Sha256': sha256 },
        signal,
      }),
    finish: (upload) => call('POST', `${one(upload)}/finish`, { body: {}, signal }),
  }
}

export const dropUpload = (folder: string, upload: string) =>
  call('DELETE', `${folderPath({ id: folder })}/uploads/${part(upload)}`)
