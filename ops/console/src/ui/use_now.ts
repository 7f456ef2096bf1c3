import { useContext, useSyncExternalStore } from 'react'
import { MomentContext } from '../past/moment_context'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null

function subscribe(listener: () => void) {
  listeners.add(listener)
  timer ??= setInterval(() => listeners.forEach((tell) => tell()), 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
}

/** The time in whole seconds since 1970, of the moment that the page shows; one clock for all that show it. */
export function useNow(): number {
  const then = useContext(MomentContext)
  const now = useSyncExternalStore(subscribe, () => Math.floor(Date.now() / 1000))
  return then ?? now
}
