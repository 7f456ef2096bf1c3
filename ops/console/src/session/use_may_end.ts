import { useCallback } from 'react'
import { mayOn } from '../api/identity'
import type { Session } from '../api/schema.gen'
import { useMe } from '../app/account_context'

/** Whether the rights table lets the caller end a session. */
export function useMayEnd() {
  const me = useMe()
  return useCallback(({ owner }: Session) => mayOn(me, 'session', 'end', owner), [me])
}
