import type { Session } from '../api/schema.gen'
import { slotName } from '../amount/amount'
import { hasEnded } from '../live/tables'
import { en, type TextKey } from '../text/en'
import type { Translate } from '../text/text'

type Told = Pick<Session, 'status' | 'reason' | 'result' | 'exit_code' | 'message' | 'queue_position'>

/** A reason's code in words, where the catalogue has it; else the code. */
function codeWords({ reason }: Told, t: Translate): string {
  if (!reason) return ''
  const key = `reason.${reason.code}`
  const words = key in en ? t(key as TextKey) : reason.code
  return reason.slot ? `${words} (${slotName(reason.slot)})` : words
}

/** Why a session waits, with its place in the queue, or how it ended: its own message first, where it has one. */
export function reasonText(session: Told, t: Translate): string {
  const { status, reason, result, exit_code, message, queue_position } = session
  const exit = exit_code ? t('session.exit', { code: exit_code }) : ''
  if (hasEnded(session) && message) return exit ? `${message} (${exit})` : message
  const words = codeWords(session, t)
  if (status === 'PENDING' && queue_position) return `#${queue_position} ${words}`
  const nobodySaw = status === 'TERMINATED' && exit_code === null
  if (nobodySaw && (!reason || reason.code === 'kernel-ended')) return t('session.exit-unknown')
  return [result, exit || words].filter(Boolean).join(' ')
}

/** What the text leaves out, nothing of it twice. */
export function reasonMore(session: Told, t: Translate): string {
  const text = reasonText(session, t)
  const others = [codeWords(session, t), session.message].filter((line) => line && !text.includes(line))
  return [text, ...new Set(others)].join('\n')
}
