import { useMemo } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import type { Session, SessionList } from '../api/schema.gen'
import { hasEnded } from '../live/tables'
import type { TableView } from '../live/live_store'

const PAGE = 200

/** Sessions that ended, newest first: pages of the history, and before them those that ended since the console was opened. */
export function useFinished(live: TableView<Session>, group: string, enabled: boolean) {
  const history = useInfiniteQuery({
    queryKey: ['finished', group],
    queryFn: ({ pageParam, signal }) =>
      call<SessionList>('GET', '/v1/sessions', {
        query: { state: 'ended', group, limit: PAGE, page_token: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_page_token ?? undefined,
    enabled,
    staleTime: 30_000,
  })
  const sessions = useMemo(() => {
    if (!enabled) return []
    const byId = new Map<string, Session>()
    for (const page of history.data?.pages ?? [])
      page.sessions.forEach((session) => byId.set(session.id, session))
    for (const session of live.rows.values()) {
      if (hasEnded(session) && (!group || session.group === group)) byId.set(session.id, session)
    }
    return [...byId.values()].sort((a, b) => Date.parse(b.ended_at ?? '') - Date.parse(a.ended_at ?? ''))
  }, [enabled, history.data, live, group])
  const more = () => {
    if (history.hasNextPage && !history.isFetchingNextPage) void history.fetchNextPage()
  }
  return { sessions, more, history }
}
