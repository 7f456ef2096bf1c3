import type { DryRun, Session } from '../api/schema.gen'

/** What of a new session is opened: the overview says why it waits, where it will, else what it writes. */
export function viewAfter(session: Pick<Session, 'status'>, forecast: DryRun | undefined): '' | 'log' {
  return session.status === 'PENDING' && forecast?.sessions[0]?.starts_now === false ? '' : 'log'
}
