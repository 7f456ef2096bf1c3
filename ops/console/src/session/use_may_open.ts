import { useCallback } from 'react'
import { mayOn } from '../api/identity'
import type { Session } from '../api/schema.gen'
import { useMe } from '../app/account_context'

/** Whether a session has terminals to open now, and the rights table lets the caller: a superadmin sees others' sessions, and opens none. */
export function useMayOpen() {
  const me = useMe()
  return useCallback(
    ({ owner, status }: Session) => status === 'RUNNING' && mayOn(me, 'terminal', 'act', owner),
    [me],
  )
}
