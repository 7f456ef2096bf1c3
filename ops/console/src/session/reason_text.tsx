import type { Session } from '../api/schema.gen'
import { useText } from '../text/text'
import { reasonMore, reasonText } from './reason_words'

/** Why a session waits or how it ended; of one that waits, its place in the queue too. */
export function ReasonText({ session }: { session: Session }) {
  const { t } = useText()
  return (
    <span className="muted" title={reasonMore(session, t)}>
      {reasonText(session, t) || '–'}
    </span>
  )
}
