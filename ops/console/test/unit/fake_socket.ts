/** The browser's end of a socket whose other end is the test. */
export class FakeSocket {
  static made: FakeSocket[] = []
  bufferedAmount = 0
  closed = false
  sent: unknown[] = []
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: (() => void) | null = null

  constructor(
    readonly url: string,
    readonly protocol: string,
  ) {
    FakeSocket.made.push(this)
  }

  send(data: unknown) {
    this.sent.push(typeof data === 'string' ? JSON.parse(data) : new TextDecoder().decode(data as Uint8Array))
  }

  close() {
    this.closed = true
  }

  tell(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) })
  }

  print(text: string) {
    this.onmessage?.({ data: Uint8Array.of(1, ...new TextEncoder().encode(text)).buffer })
  }

  cut() {
    this.onclose?.()
  }
}
