import { useCallback } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, pagesOf } from '../api/client'
import { useRefresh } from '../live/use_refresh'
import { folderPath, isMoving, type Folder, type Volume } from './folder'

const FOLDERS = ['folders']
const PAGE = 1_000
const AT_MOST_EVERY_MS = 2_000
/** The stream does not tell of folders. */
const ASKED_EVERY_MS = { moving: 1_000, resting: 5_000 }

async function readFolders(signal: AbortSignal): Promise<Folder[]> {
  const folders: Folder[] = []
  const query = { include: 'trash', limit: PAGE }
  for await (const page of pagesOf<Folder>('/v1/folders', 'items', query, signal)) folders.push(...page.rows)
  return folders
}

/** Every folder that the caller sees, those in the trash too. */
export function useFolders() {
  useRefresh(FOLDERS, ['sessions'], AT_MOST_EVERY_MS)
  return useQuery({
    queryKey: FOLDERS,
    queryFn: ({ signal }) => readFolders(signal),
    refetchInterval: ({ state }) =>
      state.data?.some(isMoving) ? ASKED_EVERY_MS.moving : ASKED_EVERY_MS.resting,
  })
}

export function useFolder(id: string) {
  return useQuery({
    queryKey: [...FOLDERS, id],
    queryFn: ({ signal }) => call<Folder>('GET', folderPath({ id }), { signal }),
    refetchInterval: ASKED_EVERY_MS.resting,
  })
}

export function useVolumes() {
  return useQuery({
    queryKey: ['volumes'],
    queryFn: async ({ signal }) => (await call<{ items: Volume[] }>('GET', '/v1/volumes', { signal })).items,
    refetchInterval: ASKED_EVERY_MS.resting,
  })
}

/** Has what is shown of folders read again, and waits until it is there. */
export function useFoldersAgain() {
  const client = useQueryClient()
  return useCallback(() => client.invalidateQueries({ queryKey: FOLDERS }), [client])
}
