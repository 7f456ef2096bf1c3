import { useCallback } from 'react'
import { reachOf } from '../api/identity'
import type { Session } from '../api/schema.gen'
import { useMe } from '../app/account_context'

/** Whether the rights table lets the caller end a session; the server has the last word. */
export function useMayEnd() {
  const me = useMe()
  return useCallback(
    ({ owner }: Session) => {
      const reach = reachOf(me, 'session', 'end')
      if (reach === 'all') return true
      if (reach === 'none') return false
      if (owner.user === me.user) return true
      if (reach === 'domain') return owner.domain === me.domain
      return me.projects.some(
        ({ admin, project, domain }) => admin && project === owner.project && domain === owner.domain,
      )
    },
    [me],
  )
}
