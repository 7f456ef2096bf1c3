import { useEffect, useState } from 'react'
import { useLiveState } from './use_live'

/** A cut that mends itself at once is not worth a word, and a first connection may take its time. */
const PATIENCE_MS = { lost: 1_000, connecting: 9_000 }

/** Whether the server is out of reach. */
export function useLost(): boolean {
  const state = useLiveState()
  const [told, tell] = useState(false)
  useEffect(() => {
    if (state === 'live') return tell(false)
    const timer = setTimeout(() => tell(true), PATIENCE_MS[state])
    return () => clearTimeout(timer)
  }, [state])
  return told
}
