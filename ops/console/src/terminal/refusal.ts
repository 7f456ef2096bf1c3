import { Problem } from '../api/problem'
import type { Refusal } from './shell_messages'

/** An error of /v1 as the WebSockets tell theirs; null: it is none of the server's. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof Problem)) return null
  const { status, code, detail: message, hint, unreachable } = error
  if (unreachable) return { code: 'unreachable', message, hint }
  return { code: status === 401 ? 'signed-out' : code, message, hint }
}
