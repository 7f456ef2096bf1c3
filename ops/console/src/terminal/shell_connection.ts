import {
  SUBPROTOCOL,
  openText,
  readMessage,
  sizeText,
  typedPieces,
  type Begun,
  type Message,
  type Refusal,
  type Size,
} from './shell_messages'
import { ShellPlace } from './shell_place'
import { waitBefore, whyOf, type ShellState } from './shell_state'

export type Sink = {
  /** What is shown is void: output of this attachment follows. */
  clear(): void
  /** `then` is called when these bytes are on the screen. */
  show(bytes: Uint8Array<ArrayBuffer>, then?: () => void): void
}

type Options = {
  url: string
  name: string
  size: () => Size
  sink: Sink
  /** A browser does not tell why a WebSocket was refused: asks by other means; null: nothing that can be asked for. */
  whyRefused: () => Promise<Refusal | null>
  /** More was typed or pasted at once than is taken. */
  tooMuch: () => void
}

/** A socket that says nothing at all is given up. */
const PATIENCE_MS = 20_000
/** An attachment that lasts as long was a good one. */
const GOOD_MS = 5_000
const TYPED_AHEAD_MAX = 1_048_576
const NOTHING: Refusal = { code: '', message: '', hint: '' }

/**
 * One window's connection to a shell. It is made again after a cut, with longer and longer waits; the shell lives on
 * meanwhile, and what it has printed comes with the next attachment. What is typed while it is not attached is not sent,
 * neither then nor later: a person types to what is on the screen.
 */
export class ShellConnection {
  state: ShellState = { kind: 'connecting' }
  private readonly listeners = new Set<() => void>()
  private place = new ShellPlace()
  private socket: WebSocket | null = null
  private timer: ReturnType<typeof setTimeout> | null = null
  private attempt = 0
  private attachedAt = 0
  private wasAttached = false
  /** All that was printed before is on the screen. Until then what the screen answers to old questions is not for the shell. */
  private hears = false
  /** What a person has typed until then. */
  private ahead: Uint8Array<ArrayBuffer>[] = []

  constructor(private readonly options: Options) {}

  subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Attaches to the shell; `anew`: makes it where it has ended. */
  open(anew: boolean) {
    this.leave()
    if (anew) {
      this.wasAttached = false
      this.place = new ShellPlace()
    }
    this.become(this.state.kind === 'cut' ? { ...this.state, again: 0 } : { kind: 'connecting' })
    const socket = new WebSocket(this.options.url, SUBPROTOCOL)
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    let opened = false
    socket.onopen = () => {
      opened = true
      socket.send(openText(this.options.name, this.wasAttached, this.options.size()))
    }
    socket.onmessage = ({ data }) => this.read(readMessage(data))
    socket.onclose = () => void this.closed(socket, opened)
    this.timer = setTimeout(() => this.cut(), PATIENCE_MS)
  }

  close() {
    this.leave()
    this.listeners.clear()
  }

  /** The session has ended, as other means have told. */
  sessionEnded() {
    this.leave()
    this.become({ kind: 'closed', why: 'session-ended', problem: NOTHING })
  }

  /** The server is out of reach, as other means have told: a socket may take minutes to notice. */
  cut() {
    this.leave()
    if (Date.now() - this.attachedAt > GOOD_MS && this.attachedAt > 0) this.attempt = 0
    this.attachedAt = 0
    const wait = waitBefore(this.attempt, Math.random())
    this.attempt += 1
    this.timer = setTimeout(() => this.open(false), wait)
    const refused = this.state.kind === 'cut' && this.state.refused
    this.become({ kind: 'cut', again: Date.now() + wait, refused })
  }

  /** `byHand`: by a person, who need not wait until all that was printed before is drawn. */
  type(bytes: Uint8Array<ArrayBuffer>, byHand = true) {
    if (!this.socket || this.state.kind !== 'attached') return
    if (!this.hears) return byHand ? this.typeAhead(bytes) : undefined
    if (this.socket.bufferedAmount + bytes.length > TYPED_AHEAD_MAX) return this.options.tooMuch()
    for (const piece of typedPieces(bytes)) this.socket.send(piece)
  }

  private typeAhead(bytes: Uint8Array<ArrayBuffer>) {
    const ahead = this.ahead.reduce((sum, { length }) => sum + length, 0)
    if (ahead + bytes.length > TYPED_AHEAD_MAX) return this.options.tooMuch()
    this.ahead.push(bytes)
  }

  resize(size: Size) {
    if (this.state.kind === 'attached') this.socket?.send(sizeText(size))
  }

  /** The screen could not show as much. */
  lost(bytes: number) {
    if (this.state.kind === 'attached') this.become({ ...this.state, lost: this.state.lost + bytes })
  }

  /** What was said has been read. */
  quiet() {
    if (this.state.kind === 'attached') this.become({ kind: 'attached', back: null, lost: 0 })
  }

  private read(message: Message | null) {
    if (message?.kind === 'begun') this.begin(message.begun)
    else if (message?.kind === 'output') this.output(message.bytes)
    else if (message?.kind === 'lost') this.missed(message.bytes)
    else if (message?.kind === 'ended') {
      const { exitCode, signal } = message
      this.leave()
      this.become({ kind: 'ended', exitCode, signal })
    } else if (message?.kind === 'problem') this.refused(message.problem)
  }

  private begin(begun: Begun) {
    this.stopTimer()
    this.attachedAt = Date.now()
    const returns = this.place.begin(begun)
    this.options.sink.clear()
    this.wasAttached = true
    this.become({ kind: 'attached', back: returns ? this.place.back : null, lost: 0 })
    if (this.place.caughtUp) this.output(new Uint8Array(0))
  }

  private output(bytes: Uint8Array<ArrayBuffer>) {
    this.place.output(bytes)
    const { socket } = this
    const hear = () => socket === this.socket && !this.hears && this.hear()
    this.options.sink.show(bytes, this.hears || !this.place.caughtUp ? undefined : hear)
  }

  private missed(bytes: number) {
    const wasBefore = !this.place.caughtUp
    this.place.lost(bytes)
    if (!wasBefore) this.lost(bytes)
    else if (this.place.caughtUp) this.output(new Uint8Array(0))
  }

  /** What had been printed meanwhile is counted: it is told now. */
  private hear() {
    this.hears = true
    for (const bytes of this.ahead.splice(0)) this.type(bytes)
    if (this.state.kind === 'attached' && this.state.back)
      this.become({ ...this.state, back: { ...this.place.back } })
  }

  private refused(problem: Refusal) {
    const why = whyOf(problem)
    if (why === null) return this.cut()
    this.leave()
    this.become({ kind: 'closed', why, problem })
  }

  private async closed(socket: WebSocket, opened: boolean) {
    if (socket !== this.socket) return
    this.cut()
    if (opened) return
    const { state } = this
    const problem = await this.options.whyRefused()
    if (this.state !== state || state.kind !== 'cut') return
    if (problem && whyOf(problem)) this.refused(problem)
    else this.become({ ...state, refused: problem === null })
  }

  private leave() {
    this.stopTimer()
    const socket = this.socket
    this.socket = null
    this.hears = false
    this.ahead = []
    if (!socket) return
    socket.onopen = socket.onmessage = socket.onclose = null
    socket.close()
  }

  private stopTimer() {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  private become(state: ShellState) {
    this.state = state
    this.listeners.forEach((tell) => tell())
  }
}
