import { part } from '../api/client'

/** Of one app of a session: what its window's address names. `app`: its name, or the number of a port. */
export type AppName = { session: string; app: string }

const PATH = /^\/session\/([^/]+)\/app\/([^/]+)\/?$/

/**
 * Null for every other path. Behind `#` it would be of no use: the server lets the document of this path alone post to
 * the apps' origins.
 */
export function appNameOf(path: string): AppName | null {
  const [, session, app] = PATH.exec(path) ?? []
  return session && app ? { session: decoded(session), app: decoded(app) } : null
}

/** A part that nobody encoded, such as `%`, is what it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `order`: under which the launcher has what the app is to be started with. */
export const appHref = ({ session, app }: AppName, order = '') =>
  `/session/${part(session)}/app/${part(app)}${order && `#${order}`}`

export const isPort = (app: string) => /^[1-9][0-9]{0,4}$/.test(app) && Number(app) <= 65_535

export const appsPath = (session: string) => `/v1/sessions/${part(session)}/apps`
export const appPath = ({ session, app }: AppName) => `${appsPath(session)}/${part(app)}`

/** On this page's own origin: the content security policy lets it reach no other. */
export function startUrl(name: AppName, page: string): string {
  const url = new URL(`${appPath(name)}/start`, page)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}
