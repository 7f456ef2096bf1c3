import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { call, standAt } from '../api/client'
import type { PastPoint } from '../api/schema.gen'
import type { Me } from '../api/identity'
import { MeContext, useMe } from '../app/account_context'
import { live, queries } from '../app/identity'
import { useMoment } from '../app/router'
import { LiveContext } from '../live/use_live'
import { MomentContext } from './moment_context'
import { PastQueries } from './past_queries'
import { PastStore } from './past_store'
import { timeOf } from './span'

/** What of a person's rights is left where nothing can be changed: to see. */
export const onlySeeing = (me: Me): Me => ({
  ...me,
  rights: Object.fromEntries(Object.entries(me.rights).filter(([name]) => /\.see$/i.test(name))),
})

/** The record that a moment of the address is, as the server says; undefined where that is not known yet. */
export function useRecordOf(at: string) {
  return useQuery(
    {
      queryKey: ['moment', at],
      queryFn: async ({ signal }) =>
        (await call<{ at: PastPoint }>('GET', '/v1/slots', { query: { at }, signal })).at,
      enabled: at !== '',
      staleTime: Infinity,
      placeholderData: (before) => before,
    },
    queries,
  )
}

const RealMe = createContext<Me | null>(null)

/** Who is signed in with all of their rights, wherever one looks. */
export const useMeOfNow = () => useContext(RealMe) ?? useMe()

/**
 * What all below live in: now, with the live rows, or, where the address has a moment, the past: rows and answers of that moment,
 * its clock, and no right but to see.
 */
export function World({ children }: { children: ReactNode }) {
  const at = useMoment()
  const me = useMe()
  const [past] = useState(() => ({ store: new PastStore(live), queries: new PastQueries() }))
  past.queries.moment = at
  const record = useRecordOf(at)
  const time = record.data?.time
  // Before the effects of what is below, which begin to read.
  useLayoutEffect(() => {
    standAt(at)
    past.store.moveTo(at)
    return () => standAt('')
  }, [past, at])
  const meBefore = useRef(me)
  useEffect(() => {
    if (meBefore.current === me) return
    meBefore.current = me
    past.store.readAllAgain()
    void past.queries.invalidateQueries()
  }, [past, me])
  const seeing = useMemo(() => (at ? onlySeeing(me) : me), [at, me])
  const seconds = at ? Math.floor((time ? Date.parse(time) : timeOf(at)) / 1000) : null
  return (
    <RealMe value={me}>
      <MeContext value={seeing}>
        <MomentContext value={Number.isNaN(seconds) ? null : seconds}>
          <LiveContext value={at ? past.store : live}>
            <QueryClientProvider client={at ? past.queries : queries}>{children}</QueryClientProvider>
          </LiveContext>
        </MomentContext>
      </MeContext>
    </RealMe>
  )
}
