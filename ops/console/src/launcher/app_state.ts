import type { Refusal } from '../terminal/shell_messages'
import { passes } from '../terminal/shell_state'

/** How far a window's app is. `again`: when it is tried next, ms since 1970. */
export type AppState =
  | { kind: 'connecting' }
  | { kind: 'starting' }
  | { kind: 'ready' }
  | { kind: 'ended'; exitCode: number; signal: number }
  | { kind: 'cut'; again: number }
  | { kind: 'closed'; why: Why; problem: Refusal }

export type Why =
  | 'session-ended'
  | 'denied'
  | 'not-found'
  | 'signed-out'
  | 'unknown-app'
  | 'no-app-origin'
  | 'not-for-this-backend'
  | 'not-shown'
  | 'failed'

const WHY: Record<string, Why> = {
  'session-ended': 'session-ended',
  'session-terminating': 'session-ended',
  'session-not-running': 'session-ended',
  denied: 'denied',
  'access-lost': 'denied',
  'unknown-session': 'not-found',
  'signed-out': 'signed-out',
  'credential-missing': 'signed-out',
  'unknown-app': 'unknown-app',
  'no-app-origin': 'no-app-origin',
  'not-for-this-backend': 'not-for-this-backend',
  'app-not-http': 'not-shown',
  'app-in-terminal': 'not-shown',
}

/** Null: the connection is cut, and to try again is worth it. */
export const whyOf = ({ code }: Refusal): Why | null => (passes(code) ? null : (WHY[code] ?? 'failed'))
