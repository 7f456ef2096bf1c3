import { useQuery } from '@tanstack/react-query'
import { call, part } from '../api/client'
import type { Explanation, Session } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { useText } from '../text/text'
import { RelativeTime } from '../ui/time'

const EVERY_MS = 4_000

/** Only rows in sight are in the document, so only for them is this asked, again and again. */
function useWhy({ id }: Session) {
  return useQuery({
    queryKey: ['why', id, 'PENDING'],
    queryFn: ({ signal }) => call<Explanation>('GET', `/v1/sessions/${part(id)}/why`, { signal }),
    refetchInterval: EVERY_MS,
  })
}

export function BlockedBy({ session }: { session: Session }) {
  const { data } = useWhy(session)
  if (!data?.blocked_by) return <span className="muted">–</span>
  return (
    <a href={hashOf(['sessions'], { open: data.blocked_by })}>
      {data.blocked_by_name ?? data.blocked_by.slice(0, 8)}
    </a>
  )
}

export function EstimatedStart({ session }: { session: Session }) {
  const { t } = useText()
  const { data } = useWhy(session)
  const estimate = data?.estimated_start?.p90
  if (estimate?.at) return <RelativeTime at={estimate.at} />
  return <span className="muted">{estimate?.none === 'never' ? t('queue.never') : t('queue.unknown')}</span>
}
