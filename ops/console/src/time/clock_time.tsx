import { useText } from '../text/text'
import { absoluteText } from '../ui/time'
import { localText } from './local_time'

/** The hour of a moment, its day on hover. */
export function ClockTime({ at }: { at: string | null }) {
  const { language } = useText()
  if (!at) return <span className="muted">–</span>
  return (
    <time dateTime={at} title={absoluteText(at, language)}>
      {localText(at).slice(11)}
    </time>
  )
}
