import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 759px)')

function subscribe(listener: () => void) {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** A phone, or a window as narrow as one: tables show their rows as cards there. */
export const useNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches)
