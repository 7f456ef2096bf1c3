import type { Session } from '../api/schema.gen'
import { slotName } from '../amount/amount'
import { en, type TextKey } from '../text/en'
import { useText, type Translate } from '../text/text'

/** A reason's code in words, where the catalogue has it; else the code. */
function reasonWords(code: string, t: Translate): string {
  const key = `reason.${code}`
  return key in en ? t(key as TextKey) : code
}

/** Why a session waits or ended; of one that waits, its place in the queue too. */
export function ReasonText({ session }: { session: Session }) {
  const { t } = useText()
  const { reason } = session
  const place = session.status === 'PENDING' && session.queue_position ? `#${session.queue_position} ` : ''
  const result = session.result ? `${session.result} ` : ''
  const exit = session.exit_code ? t('session.exit', { code: session.exit_code }) : ''
  const words = reason
    ? `${reasonWords(reason.code, t)}${reason.slot ? ` (${slotName(reason.slot)})` : ''}`
    : ''
  const text = `${place}${result}${exit || words}`
  return (
    <span className="muted" title={[text, words, session.message].filter(Boolean).join('\n')}>
      {text || '–'}
    </span>
  )
}
