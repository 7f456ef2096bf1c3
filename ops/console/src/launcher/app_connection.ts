import { SUBPROTOCOL, readMessage, type Message, type Refusal } from '../terminal/shell_messages'
import { waitBefore } from '../terminal/shell_state'
import { AppLog } from './app_log'
import { whyOf, type AppState } from './app_state'
import type { StartOrder } from './start_order'

type Options = {
  url: string
  order: StartOrder
  /** A browser does not tell why a WebSocket was refused: asks by other means; null: nothing that can be asked for. */
  whyRefused: () => Promise<Refusal | null>
}

/** A socket that says nothing at all is given up. */
const PATIENCE_MS = 20_000
/** So often at most the log is drawn anew. */
const DRAW_MS = 100

/**
 * Starts an app and follows it until it is ready or has ended; an app that runs is followed as it is. After a cut the
 * connection is made again, with longer and longer waits: the app goes on inside the session meanwhile.
 */
export class AppConnection {
  state: AppState = { kind: 'connecting' }
  log = ''
  private readonly lines = new AppLog()
  private readonly listeners = new Set<() => void>()
  private socket: WebSocket | null = null
  private timer: ReturnType<typeof setTimeout> | null = null
  private drawing: ReturnType<typeof setTimeout> | null = null
  private attempt = 0

  constructor(private readonly options: Options) {}

  subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  open() {
    this.leave()
    this.become({ kind: 'connecting' })
    const socket = new WebSocket(this.options.url, SUBPROTOCOL)
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    let opened = false
    socket.onopen = () => {
      opened = true
      socket.send(JSON.stringify(this.options.order))
    }
    socket.onmessage = ({ data }) => this.read(readMessage(data))
    socket.onclose = () => void this.closed(socket, opened)
    this.timer = setTimeout(() => this.cut(), PATIENCE_MS)
  }

  close() {
    this.leave()
    if (this.drawing) clearTimeout(this.drawing)
    this.listeners.clear()
  }

  private read(message: Message | null) {
    if (message?.kind === 'begun') this.begin()
    else if (message?.kind === 'app') this.follow(message)
    else if (message?.kind === 'output') this.print(message.bytes)
    else if (message?.kind === 'problem') this.refused(message.problem)
    else if (message?.kind === 'ended') {
      const { exitCode, signal } = message
      this.leave()
      if (this.state.kind !== 'ended') this.become({ kind: 'ended', exitCode, signal })
    }
  }

  private begin() {
    this.stopTimer()
    this.attempt = 0
    this.lines.clear()
    this.draw()
    this.become({ kind: 'starting' })
  }

  private follow({ state, exitCode, signal }: Extract<Message, { kind: 'app' }>) {
    if (state === 'ended') this.become({ kind: 'ended', exitCode, signal })
    else if (state === 'ready' || state === 'starting') this.become({ kind: state })
  }

  private print(bytes: Uint8Array<ArrayBuffer>) {
    this.lines.push(bytes)
    this.drawing ??= setTimeout(() => this.draw(), DRAW_MS)
  }

  private draw() {
    if (this.drawing) clearTimeout(this.drawing)
    this.drawing = null
    this.log = this.lines.text
    this.tell()
  }

  private refused(problem: Refusal) {
    const why = whyOf(problem)
    if (why === null) return this.cut()
    this.leave()
    this.become({ kind: 'closed', why, problem })
  }

  private cut() {
    this.leave()
    const wait = waitBefore(this.attempt, Math.random())
    this.attempt += 1
    this.timer = setTimeout(() => this.open(), wait)
    this.become({ kind: 'cut', again: Date.now() + wait })
  }

  private async closed(socket: WebSocket, opened: boolean) {
    if (socket !== this.socket) return
    if (this.state.kind === 'ended') return this.leave()
    this.cut()
    if (opened) return
    const { state } = this
    const problem = await this.options.whyRefused()
    if (this.state === state && problem && whyOf(problem)) this.refused(problem)
  }

  private leave() {
    this.stopTimer()
    const socket = this.socket
    this.socket = null
    if (!socket) return
    socket.onopen = socket.onmessage = socket.onclose = null
    socket.close()
  }

  private stopTimer() {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  private become(state: AppState) {
    this.state = state
    this.tell()
  }

  private tell() {
    this.listeners.forEach((listener) => listener())
  }
}
