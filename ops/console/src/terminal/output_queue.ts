type Bytes = Uint8Array<ArrayBuffer>
/** `follows` false: what came before it is lost. */
type Piece = { bytes: Bytes; then?: () => void; follows: boolean }
type Write = (bytes: Bytes, done: () => void) => void

const WITH_SCREEN_MAX = 262_144
const WAITING_MAX = 4_194_304
const KEPT_WHEN_TOO_MUCH = 1_048_576
const NEWLINE = 10
const LONGEST_SEARCH = 4_096

/** CAN ends an escape sequence that is cut off in its middle, and half a character. */
const CANCEL = Uint8Array.of(0x18)

/**
 * Output on its way to the screen. A page cannot ask a WebSocket to wait: whatever has come is handed to it, however long
 * the screen takes to draw it. So the screen gets a bounded amount, and the next once it says, by the callback of its
 * write, that it is done. The rest waits here, and of what is too much the oldest is dropped and told as lost: the newest
 * is what a person waits for, the prompt after a flood. What waits is about a second's work. Chromium reads a socket more
 * slowly while its page is busy; then the shell itself leaves out what its window does not take, and the server tells so.
 */
export class OutputQueue {
  private readonly waiting: Piece[] = []
  private waitingBytes = 0
  private withScreen = 0

  constructor(
    private readonly write: Write,
    private readonly dropped: (bytes: number) => void,
  ) {}

  /** `then` is called when the screen has these bytes, or when they are dropped. */
  push(bytes: Bytes, then?: () => void) {
    this.waiting.push({ bytes, then, follows: true })
    this.waitingBytes += bytes.length
    if (this.waitingBytes > WAITING_MAX) this.dropOldest()
    this.feed()
  }

  private feed() {
    while (this.withScreen < WITH_SCREEN_MAX) {
      const piece = this.waiting.shift()
      if (!piece) return
      const { bytes, then, follows } = piece
      if (!follows) this.write(CANCEL, () => {})
      this.waitingBytes -= bytes.length
      this.withScreen += bytes.length
      this.write(bytes, () => {
        this.withScreen -= bytes.length
        then?.()
        this.feed()
      })
    }
  }

  private dropOldest() {
    let lost = 0
    while (this.waitingBytes > KEPT_WHEN_TOO_MUCH && this.waiting.length > 1) {
      const { bytes, then } = this.waiting.shift() as Piece
      lost += bytes.length
      this.waitingBytes -= bytes.length
      then?.()
    }
    const first = this.waiting[0]
    if (first) {
      const begin = lineBegin(first.bytes)
      lost += begin
      first.bytes = first.bytes.subarray(begin)
      first.follows = false
      this.waitingBytes -= begin
    }
    this.dropped(lost)
  }
}

/** Where a line begins, near the beginning; else the first byte that begins a character. */
export function lineBegin(bytes: Uint8Array): number {
  const newline = bytes.subarray(0, LONGEST_SEARCH).indexOf(NEWLINE)
  if (newline >= 0) return newline + 1
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return Math.max(first, 0)
}
