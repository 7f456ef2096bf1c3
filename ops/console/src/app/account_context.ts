import { createContext, useContext } from 'react'
import type { Me } from '../api/identity'

export const MeContext = createContext<Me | null>(null)

/** Who is signed in; only below the shell, which shows nothing to others. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('nobody is signed in here')
  return me
}
