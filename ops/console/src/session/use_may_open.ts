import { useCallback } from 'react'
import { mayOn, reachOf } from '../api/identity'
import type { Session } from '../api/schema.gen'
import { useMe } from '../app/account_context'

/**
 * Whether a session has terminals to open now, and the rights table or a share lets the caller: a superadmin sees others' sessions,
 * and opens those alone that are shared with them.
 */
export function useMayOpen() {
  const me = useMe()
  return useCallback(
    ({ owner, status, shared }: Session) =>
      status === 'RUNNING' &&
      (mayOn(me, 'terminal', 'act', owner) || (shared && reachOf(me, 'terminal', 'act') !== 'none')),
    [me],
  )
}
