import type { CardColumn } from './row_card'
import { RelativeTime } from './time'

/** A column of times, told as how long ago or how soon. */
export function timeColumn<T>(
  key: string,
  title: string,
  at: (row: T) => string | null | undefined,
): CardColumn<T> {
  return {
    key,
    title,
    right: true,
    card: 'detail',
    titled: true,
    render: (row) => <RelativeTime at={at(row)} />,
  }
}
