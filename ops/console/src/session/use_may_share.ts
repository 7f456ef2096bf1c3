import { mayOn } from '../api/identity'
import type { Session } from '../api/schema.gen'
import { useMe } from '../app/account_context'
import { hasEnded } from '../live/tables'

/** Whether the rights table lets the caller share the session: it is its owner's to share. */
export function useMayShare(session: Session): boolean {
  return mayOn(useMe(), 'session', 'change', session.owner) && !hasEnded(session)
}
