import { useCallback, useEffect, useRef } from 'react'

/** At most one call in so many milliseconds; the last value is never lost. */
export function useThrottled<T>(act: (value: T) => void, everyMs: number): (value: T) => void {
  const latest = useRef(act)
  latest.current = act
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const waiting = useRef<{ value: T } | null>(null)
  const last = useRef(0)
  useEffect(() => () => clearTimeout(timer.current ?? undefined), [])
  return useCallback(
    (value: T) => {
      waiting.current = { value }
      timer.current ??= setTimeout(
        () => {
          timer.current = null
          last.current = Date.now()
          if (waiting.current) latest.current(waiting.current.value)
        },
        Math.max(0, last.current + everyMs - Date.now()),
      )
    },
    [everyMs],
  )
}
