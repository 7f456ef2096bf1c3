import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import type { AppList } from '../api/schema.gen'
import { appsPath } from './app_address'

const LOOK_MS = 2_000

export const appsKey = (session: string) => ['apps', session]

/** The apps of a session that runs; `follow`: read again while it is shown, as of what happens to apps no row tells. */
export const useApps = (session: string, { follow = false } = {}) =>
  useQuery({
    queryKey: appsKey(session),
    queryFn: ({ signal }) => call<AppList>('GET', appsPath(session), { signal }),
    staleTime: 0,
    refetchInterval: follow ? LOOK_MS : false,
  })
