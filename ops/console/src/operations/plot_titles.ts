import { en, type TextKey } from '../text/en'
import type { Translate } from '../text/text'

/** What the server calls it, in our words; what this console does not know yet is told as it came. */
function titleOf(kind: 'plot' | 'line', name: string, t: Translate): string {
  const key = `operations.${kind}-${name}`
  return key in en ? t(key as TextKey) : name
}

export const plotTitle = (name: string, t: Translate) => titleOf('plot', name, t)
/** A line alone is called as its plot is. */
export const lineTitle = (label: string, plot: string, t: Translate) =>
  label === plot ? plotTitle(plot, t) : titleOf('line', label, t)
