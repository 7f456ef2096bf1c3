import { useQuery } from '@tanstack/react-query'
import { queries } from '../app/identity'
import { readBounds } from './read_bounds'

const EVERY_MS = 10_000

/** As `readBounds`, again and again: the log's end moves on. */
export function useBounds() {
  return useQuery(
    {
      queryKey: ['past-bounds'],
      queryFn: ({ signal }) => readBounds(signal),
      refetchInterval: EVERY_MS,
    },
    queries,
  )
}
