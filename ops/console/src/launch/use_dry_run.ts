import { useEffect, useState } from 'react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import type { DryRun, SessionRequest } from '../api/schema.gen'

const PAUSE_MS = 250

/** What would happen to a request that changes while sliders move: asked once they rest; an outdated question is cancelled. */
export function useDryRun(request: SessionRequest, enabled: boolean) {
  const settled = useSettled(JSON.stringify(request))
  const current = settled === JSON.stringify(request)
  const answer = useQuery({
    queryKey: ['dry-run', settled],
    queryFn: ({ signal }) =>
      call<DryRun>('POST', '/v1/sessions', {
        query: { dry_run: true },
        body: JSON.parse(settled) as SessionRequest,
        signal,
      }),
    enabled: enabled && current,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  })
  return { data: answer.data, error: answer.error, asking: !current || answer.isFetching }
}

function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
