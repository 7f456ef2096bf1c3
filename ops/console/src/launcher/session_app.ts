import type { AppList } from '../api/schema.gen'

/** What a session's image declares, and what the helper in the kernel says of it where it was started. */
export type SessionApp = AppList['items'][number]

/** Whether a browser shows it: of the others a program is the client. */
export const isShown = ({ protocol }: SessionApp) => protocol === 'http' || protocol === 'preopen'

/** Whether the helper starts it. A server of the session's own program is there or is not. */
export const isStarted = ({ protocol }: SessionApp) => protocol === 'http'

export const runs = ({ state }: SessionApp) => state === 'starting' || state === 'ready'
