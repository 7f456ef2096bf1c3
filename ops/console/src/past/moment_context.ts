import { createContext } from 'react'

/** The moment that the page shows, in whole seconds since 1970; null for now. */
export const MomentContext = createContext<number | null>(null)
