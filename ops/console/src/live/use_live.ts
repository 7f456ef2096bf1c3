import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import type { LiveStore, TableView } from './live_store'
import type { LiveState } from './messages'
import type { Rows, TableName } from './tables'

export const LiveContext = createContext<LiveStore | null>(null)

export function useLiveStore(): LiveStore {
  const store = useContext(LiveContext)
  if (!store) throw new Error('no live store above this component')
  return store
}

/** All rows of a table as they are now; renders again as they change. */
export function useTable<T extends TableName>(name: T): TableView<Rows[T]> {
  const store = useLiveStore()
  useEffect(() => store.need(name), [store, name])
  return useSyncExternalStore(
    (listener) => store.subscribe(name, listener),
    () => store.view(name),
  )
}

/** One row; renders again only when it changes. */
export function useRow<T extends TableName>(name: T, key: string): Rows[T] | undefined {
  const store = useLiveStore()
  useEffect(() => store.need(name), [store, name])
  return useSyncExternalStore(
    (listener) => store.subscribe(name, listener),
    () => store.view(name).rows.get(key),
  )
}

export function useLiveState(): LiveState {
  const store = useLiveStore()
  return useSyncExternalStore(
    (listener) => store.subscribe('state', listener),
    () => store.state,
  )
}
