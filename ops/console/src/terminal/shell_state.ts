import type { Refusal } from './shell_messages'
import type { Return } from './shell_place'

/**
 * What a window's shell is in. `lost`: bytes that came too fast to be shown. `again`: when it is tried next, ms since 1970;
 * 0: now. `refused`: there is a session and a right to it, and the server opens no terminal all the same.
 */
export type ShellState =
  | { kind: 'connecting' }
  | { kind: 'attached'; back: Return | null; lost: number }
  | { kind: 'cut'; again: number; refused: boolean }
  | { kind: 'ended'; exitCode: number; signal: number }
  | { kind: 'closed'; why: Why; problem: Refusal }

export type Why = 'session-ended' | 'denied' | 'not-found' | 'signed-out' | 'gone' | 'failed'

const WHY: Record<string, Why> = {
  'session-ended': 'session-ended',
  'session-terminating': 'session-ended',
  denied: 'denied',
  'access-lost': 'denied',
  'unknown-session': 'not-found',
  'unknown-kernel': 'not-found',
  'signed-out': 'signed-out',
  'credential-missing': 'signed-out',
  'no-such-shell': 'gone',
}

/** What passes by itself: the shell or the app goes on inside the session. */
const PASSES = new Set([
  'unreachable',
  'channel-closed',
  'too-slow',
  'too-many-requests',
  // 503 and 504 of the server, of the agent and of the kernel
  'stopping',
  'not-ready',
  'controller-full',
  'no-memory',
  'request-expired',
  'too-many-connections',
  'log-unavailable',
  'outcome-unknown',
  'agent-unreachable',
  'agent-busy',
  'agent-timeout',
  'kernel-busy',
  'port-busy',
  'helper-silent',
])

export const passes = (code: string) => PASSES.has(code)

/** Null: the connection is cut, and to try again is worth it. */
export const whyOf = ({ code }: Refusal): Why | null => (passes(code) ? null : (WHY[code] ?? 'failed'))

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/** Twice as long each time; a part is left to chance, so that many windows do not come at once. */
export const waitBefore = (attempt: number, chance: number) =>
  Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * (0.8 + 0.4 * chance)
