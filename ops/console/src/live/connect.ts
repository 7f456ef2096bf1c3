import { Hub, type Port } from './hub'
import { LiveStore, type LiveEvents } from './live_store'
import type { ToHub } from './messages'

/** A store fed by the browser's one hub; where a browser has no SharedWorker, by a hub of this tab's own. */
export function connectLive(events: LiveEvents): LiveStore {
  const store = new LiveStore(events)
  if (typeof SharedWorker === 'undefined') connectAlone(store)
  else connectShared(store)
  return store
}

function connectShared(store: LiveStore) {
  const { port } = new SharedWorker(new URL('./live_worker.ts', import.meta.url), {
    type: 'module',
    name: 'berth-live',
  })
  port.onmessage = (event) => store.receive(event.data)
  store.connect((message) => port.postMessage(message))
  addEventListener('pagehide', () => port.postMessage({ kind: 'bye' } satisfies ToHub))
  // A page that comes back out of the browser's cache was taken off the hub's list.
  addEventListener('pageshow', (event) => event.persisted && location.reload())
}

/** Tabs with hubs of their own still tell each other who signed in. */
function connectAlone(store: LiveStore) {
  const hub = new Hub()
  const others = new BroadcastChannel('berth-identity')
  const port: Port = { postMessage: (message) => store.receive(message) }
  others.onmessage = (event) => hub.receive(port, event.data)
  hub.join(port)
  store.connect((message) => {
    hub.receive(port, message)
    if (message.kind === 'identity') others.postMessage(message)
  })
}
