import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { call } from '../api/client'
import { refusalOf } from '../terminal/refusal'
import type { Refusal } from '../terminal/shell_messages'
import { appsPath, startUrl } from './app_address'
import { AppConnection } from './app_connection'
import type { AppState } from './app_state'
import type { StartOrder } from './start_order'

const NO_STATE: AppState = { kind: 'connecting' }
const nothing = () => () => {}

/** Starts an app and follows it as long as it is shown. */
export function useApp(session: string, app: string, order: StartOrder) {
  const [connection, setConnection] = useState<AppConnection | null>(null)
  useEffect(() => {
    const url = startUrl({ session, app }, location.href)
    const made = new AppConnection({ url, order, whyRefused: () => whyRefused(session) })
    made.open()
    setConnection(made)
    return () => made.close()
  }, [session, app, order])
  const subscribe = connection?.subscribe ?? nothing
  const state = useSyncExternalStore(subscribe, () => connection?.state ?? NO_STATE)
  const log = useSyncExternalStore(subscribe, () => connection?.log ?? '')
  const again = useCallback(() => connection?.open(), [connection])
  return { state, log, again }
}

/** The list of apps needs the same rights and the same session. */
async function whyRefused(session: string): Promise<Refusal | null> {
  try {
    await call('GET', appsPath(session))
    return null
  } catch (error) {
    return refusalOf(error)
  }
}
