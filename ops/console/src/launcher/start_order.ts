/** What an app is to be started with, besides what its image says. */
export type StartOrder = { arguments: string[]; environment: Record<string, string> }

export const NO_ORDER: StartOrder = { arguments: [], environment: {} }

const OFFERED_MS = 60_000
const ASKED_MS = 3_000

const channelOf = (id: string) => new BroadcastChannel(`berth-app-start ${id}`)

/**
 * An order on its way from the launcher to the window that it opens, which knows the id by its address. The window is cut
 * off from its opener; and an environment may hold secrets, which do not belong into an address, a history or onto a disk.
 */
export function offerOrder(order: StartOrder): string {
  const id = crypto.randomUUID()
  const channel = channelOf(id)
  channel.onmessage = ({ data }) => {
    if (data !== null) return
    channel.postMessage(order)
    channel.close()
  }
  setTimeout(() => channel.close(), OFFERED_MS)
  return id
}

/** Null: the launcher has gone, or the order was taken before. */
export function takeOrder(id: string): Promise<StartOrder | null> {
  const channel = channelOf(id)
  return new Promise((resolve) => {
    const end = (order: StartOrder | null) => {
      clearTimeout(timer)
      channel.close()
      resolve(order)
    }
    const timer = setTimeout(() => end(null), ASKED_MS)
    channel.onmessage = ({ data }) => data !== null && end(data as StartOrder)
    channel.postMessage(null)
  })
}
