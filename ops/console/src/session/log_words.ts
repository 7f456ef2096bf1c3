import type { Kernel, Session } from '../api/schema.gen'
import { hasEnded } from '../live/tables'

type Begins = Pick<Kernel, 'started_at' | 'ended_at'> | undefined

/** An agent has no log of a kernel that it has not started yet; of one that never was, the log is empty. */
export const hasLog = (kernel: Begins) => Boolean(kernel?.started_at ?? kernel?.ended_at)

/** What stands beside a log and in place of its text, by what is known of the session and its kernel. */
export function logWords(session: Pick<Session, 'status'>, kernel: Begins, ended: boolean) {
  if (hasEnded(session) && !kernel?.started_at)
    return { state: 'log.ended', nothing: 'log.never-started' } as const
  if (!hasLog(kernel)) return { state: 'log.not-started', nothing: 'log.nothing-yet' } as const
  if (ended) return { state: 'log.ended', nothing: 'log.wrote-nothing' } as const
  return { state: 'log.following', nothing: 'log.nothing-yet' } as const
}
