import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import type { Resource } from '../api/schema.gen'
import { useRefresh } from '../live/use_refresh'

const AT_MOST_EVERY_MS = 1_000

/** What the caller's sessions occupy of a group, as of the last change of a session or an agent. */
export function useResource(group: string) {
  useRefresh(['resource', group], ['sessions', 'agents'], AT_MOST_EVERY_MS)
  return useQuery({
    queryKey: ['resource', group],
    queryFn: ({ signal }) => call<Resource>('GET', '/v1/resource', { query: { group }, signal }),
    enabled: group !== '',
    staleTime: 0,
    placeholderData: (before) => (before?.group === group ? before : undefined),
  })
}
