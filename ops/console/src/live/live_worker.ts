import { Hub, type Port } from './hub'
import type { ToHub } from './messages'

const hub = new Hub()
const scope = self as unknown as { onconnect: (event: MessageEvent) => void }

scope.onconnect = ({ ports: [port] }) => {
  if (!port) return
  port.onmessage = (event: MessageEvent<ToHub>) => hub.receive(port as Port, event.data)
  hub.join(port as Port)
}
