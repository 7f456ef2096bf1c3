import { QueryClient } from '@tanstack/react-query'
import { call, keepCsrfToken, whenSignedOut } from '../api/client'
import type { Me } from '../api/identity'
import { Problem } from '../api/problem'
import { connectLive } from '../live/connect'

export const WHOAMI = ['whoami']

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => error instanceof Problem && error.unreachable && failures < 3,
    },
  },
})

/** One cookie, one identity: the same person who signs in anew has another. */
const identityOf = (me: Me) => `${me.user}/${me.browser_session ?? ''}`

let identity: string | null | undefined

export const live = connectLive({
  identity(told) {
    if (told === identity) return
    identity = told
    if (told === null) forget()
    else void queries.resetQueries()
  },
  rights: () => void queries.invalidateQueries(),
})

/** Whoever is signed in by the cookie of now, null for nobody; all tabs follow. */
export async function readMe(byHand = false): Promise<Me | null> {
  try {
    const me = await call<Me>('GET', '/v1/whoami', { byHand })
    accept(me)
    return me
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error
    return null
  }
}

function accept(me: Me) {
  keepCsrfToken(me.csrf)
  identity = identityOf(me)
  live.identify(identity)
}

/** After a login: what another person's cookie had read is forgotten. */
export function signIn(me: Me) {
  accept(me)
  become(me)
}

function forget() {
  keepCsrfToken('')
  become(null)
}

function become(me: Me | null) {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== WHOAMI[0] })
  queries.setQueryData(WHOAMI, me)
}

function signedOut() {
  identity = null
  live.identify(null)
  forget()
}

whenSignedOut(signedOut)

export async function logOut() {
  await call('POST', '/v1/logout', { body: {} }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.status !== 401) throw error
  })
  signedOut()
}
