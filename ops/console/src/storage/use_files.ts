import { useCallback } from 'react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/client'
import { joinPath, type Listing } from './file_api'
import { folderPath } from './folder'
import { FILES } from './use_uploads'

const PAGE = 500

/** The entries of a path within a folder, by name; more as they come in sight. */
export function useFiles(folder: string, path: string, enabled: boolean) {
  const files = useInfiniteQuery({
    queryKey: [FILES, folder, path],
    queryFn: ({ pageParam, signal }) =>
      call<Listing>('GET', `${folderPath({ id: folder })}/files`, {
        query: { path: joinPath(path), after: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
    enabled,
  })
  const more = () => {
    if (files.hasNextPage && !files.isFetchingNextPage) void files.fetchNextPage()
  }
  const pages = files.data?.pages ?? []
  return {
    files,
    more,
    entries: pages.flatMap(({ items }) => items),
    unnamed: pages[0]?.not_utf8 ?? 0,
  }
}

/** Has a folder's listings read again, and waits until they are there. */
export function useFilesAgain(folder: string) {
  const client = useQueryClient()
  return useCallback(() => client.invalidateQueries({ queryKey: [FILES, folder] }), [client, folder])
}
