import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { Topic } from './tables'
import { useLiveStore } from './use_live'

/** Has a query asked again when rows of these tables change, but not more often than said. */
export function useRefresh(queryKey: readonly string[], tables: readonly Topic[], atMostEveryMs: number) {
  const store = useLiveStore()
  const client = useQueryClient()
  const key = queryKey.join('\n')
  const names = tables.join(',')
  useEffect(() => {
    if (store.isPast) return
    let timer: ReturnType<typeof setTimeout> | null = null
    let last = 0
    const refresh = () => {
      timer = null
      last = Date.now()
      void client.invalidateQueries({ queryKey: key.split('\n') })
    }
    const changed = () => {
      timer ??= setTimeout(refresh, Math.max(0, last + atMostEveryMs - Date.now()))
    }
    const ends = names.split(',').map((name) => store.subscribe(name as Topic, changed))
    return () => {
      ends.forEach((end) => end())
      if (timer) clearTimeout(timer)
    }
  }, [store, client, key, names, atMostEveryMs])
}
