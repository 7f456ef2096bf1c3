import { useText } from '../text/text'
import { useNow } from './use_now'

const STEPS: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

const secondsOf = (time: string | null | undefined) => (time ? Math.floor(Date.parse(time) / 1000) : null)

/** Formats are dear to make, and every row in sight wants some. */
function kept<T>(make: (language: string) => T): (language: string) => T {
  const made = new Map<string, T>()
  return (language) => {
    const format = made.get(language) ?? make(language)
    made.set(language, format)
    return format
  }
}

const relativeFormat = kept(
  (language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' }),
)
const absoluteFormat = kept(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }),
)

export function relativeText(seconds: number, language: string): string {
  const [size, unit] = STEPS.find(([step]) => Math.abs(seconds) >= step) ?? [1, 'second']
  return relativeFormat(language).format(Math.trunc(seconds / size), unit)
}

/** `3d 04:05:06`, `04:05:06`, `05:06`: as wide at each second. */
export function durationText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const whole = Math.max(0, Math.floor(seconds))
  const days = Math.floor(whole / 86_400)
  const hours = Math.floor((whole % 86_400) / 3_600)
  const rest = `${two(Math.floor((whole % 3_600) / 60))}:${two(whole % 60)}`
  if (days > 0) return `${days}d ${two(hours)}:${rest}`
  return hours > 0 ? `${two(hours)}:${rest}` : rest
}

export function absoluteText(time: string, language: string): string {
  return absoluteFormat(language).format(new Date(time))
}

/** "3 min. ago", with the absolute time on hover. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const { language } = useText()
  const now = useNow()
  if (!at) return <span className="muted">–</span>
  return (
    <time dateTime={at} title={absoluteText(at, language)}>
      {relativeText((secondsOf(at) ?? now) - now, language)}
    </time>
  )
}

/** How long from one time to another, or to now. */
export function Elapsed({ from, to }: { from: string | null | undefined; to?: string | null }) {
  const { language } = useText()
  const now = useNow()
  const begin = secondsOf(from)
  if (begin === null || !from) return <span className="muted">–</span>
  return <time title={absoluteText(from, language)}>{durationText((secondsOf(to) ?? now) - begin)}</time>
}
