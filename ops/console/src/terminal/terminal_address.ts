import { part, withQuery } from '../api/client'
import { hashOf } from '../app/router'

/** The shell and the kernel that are meant where none is named. */
export const FIRST_SHELL = 'main'
export const FIRST_KERNEL = 'main1'

/** Of one shell of a session: what its window's address names. */
export type ShellName = { session: string; name: string; kernel: string }

export function shellNameOf(path: string[], query: URLSearchParams): ShellName {
  const [, session = '', name = FIRST_SHELL] = path
  return { session, name, kernel: query.get('kernel') ?? FIRST_KERNEL }
}

export const terminalHash = ({ session, name, kernel }: Pick<ShellName, 'session'> & Partial<ShellName>) =>
  hashOf(['terminal', session, ...(name && name !== FIRST_SHELL ? [name] : [])], {
    kernel: kernel === FIRST_KERNEL ? '' : kernel,
  })

export const shellPath = (session: string) => `/v1/sessions/${part(session)}/shell`
export const shellsPath = (session: string) => `/v1/sessions/${part(session)}/shells`

/** On this page's own origin: the content security policy lets it reach no other. */
export function socketUrl({ session, kernel }: ShellName, page: string): string {
  const url = new URL(withQuery(shellPath(session), { kernel }), page)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}
