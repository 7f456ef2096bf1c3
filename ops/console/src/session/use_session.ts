import { useQuery } from '@tanstack/react-query'
import { call, part } from '../api/client'
import type { Session } from '../api/schema.gen'
import { useRow } from '../live/use_live'

/** One session: the live row, or what the server still knows of it; with env and estimate, which no row has. */
export function useSession(id: string) {
  const row = useRow('sessions', id)
  const whole = useQuery({
    queryKey: ['session', id, row?.status],
    queryFn: ({ signal }) => call<Session>('GET', `/v1/sessions/${part(id)}`, { signal }),
    placeholderData: (before) => (before?.id === id ? before : undefined),
  })
  const session = row ? { ...row, env: whole.data?.env ?? row.env } : whole.data
  return { session, error: row ? null : whole.error, retry: () => void whole.refetch() }
}
