import { createContext, useCallback, useContext, useEffect, useRef, useSyncExternalStore } from 'react'
import type { RowStore, TableView } from './live_store'
import type { LiveState } from './messages'
import type { Rows, TableName } from './tables'

export const LiveContext = createContext<RowStore | null>(null)

export function useLiveStore(): RowStore {
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

/** Reads a table again that could not be read. */
export function useReadAgain(name: TableName): () => void {
  const store = useLiveStore()
  return useCallback(() => store.readAgain(name), [store, name])
}

const LARGE = 1_000
const LOOKS_MS = { small: 30, large: 150 }

/** As `useTable`, but a large table is looked at a few times a second only: the row in sight follows by `useRow`. */
export function useTableAtLeisure<T extends TableName>(name: T): TableView<Rows[T]> {
  const store = useLiveStore()
  const seen = useRef(store.view(name))
  useEffect(() => store.need(name), [store, name])
  const subscribe = useCallback(
    (listener: () => void) => {
      let timer: ReturnType<typeof setTimeout> | null = null
      const look = () => {
        timer = null
        seen.current = store.view(name)
        listener()
      }
      const changed = () => {
        timer ??= setTimeout(look, store.view(name).rows.size > LARGE ? LOOKS_MS.large : LOOKS_MS.small)
      }
      const end = store.subscribe(name, changed)
      look()
      return () => {
        end()
        if (timer) clearTimeout(timer)
      }
    },
    [store, name],
  )
  return useSyncExternalStore(subscribe, () => seen.current)
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
