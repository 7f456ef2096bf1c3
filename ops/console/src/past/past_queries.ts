import { QueryClient, hashKey, type DefaultOptions, type QueryKey } from '@tanstack/react-query'
import { Problem } from '../api/problem'

/** A state is dear on the server: what was seen a moment ago is kept, a day's dragging is not. */
const KEPT_MS = 20_000

/**
 * What pages ask for, of a moment: each moment has answers of its own, and an answer never changes. Until it is there, what was
 * shown before stands.
 */
export class PastQueries extends QueryClient {
  moment = ''

  constructor() {
    super()
    const queries: DefaultOptions['queries'] = {
      queryKeyHashFn: (key) => hashKey([this.moment, ...key]),
      staleTime: Infinity,
      gcTime: KEPT_MS,
      refetchOnWindowFocus: false,
      retry: (failures, error) => error instanceof Problem && error.unreachable && failures < 3,
    }
    this.setDefaultOptions({ queries })
    const usual = this.defaultQueryOptions.bind(this) as (options: object) => unknown
    const still = (options: { queryKey: QueryKey }) => usual(stillOf(options))
    this.defaultQueryOptions = still as QueryClient['defaultQueryOptions']
  }
}

/** Nothing is asked for again by itself, whatever a page does where it is live. */
function stillOf(options: { queryKey: QueryKey }) {
  const placeholderData = (before: unknown, query?: { queryKey: QueryKey }) =>
    query && hashKey(query.queryKey) === hashKey(options.queryKey) ? before : undefined
  return { placeholderData, ...options, refetchInterval: false, staleTime: Infinity }
}
