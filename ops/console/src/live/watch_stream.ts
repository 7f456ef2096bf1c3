import { SseParser, type Frame } from './sse'

/** What one /v1/watch stream tells. `cut` comes before each try to go on; `refused` ends the stream for good (401). */
type WatchListener = {
  started(): void
  frame(frame: Frame): void
  cut(): void
  refused(): void
}

/** The server tells its position every 5 s at least: what is silent for longer is frozen or out of reach. */
const SILENCE_MS = 9_000
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000

/**
 * Reads /v1/watch by fetch (EventSource gives up for good at a 503) and goes on behind the last `position` frame after a
 * cut, a 503 or 9 s of silence, until it is closed. One object, one stream; a new beginning is a new object.
 */
export class WatchStream {
  private readonly closing = new AbortController()
  private position: number | null = null
  private failures = 0

  constructor(
    private readonly url: string,
    private readonly listener: WatchListener,
    private readonly fetcher: typeof fetch = (...parts) => fetch(...parts),
  ) {}

  close() {
    this.closing.abort()
  }

  async run(): Promise<void> {
    while (!this.closing.signal.aborted) {
      const answer = await this.readOnce().catch(() => 'cut' as const)
      if (this.closing.signal.aborted) return
      if (answer === 'refused') return this.listener.refused()
      this.listener.cut()
      await this.waitForNextTry()
    }
  }

  private async readOnce(): Promise<'cut' | 'refused'> {
    const silence = new AbortController()
    const signal = AbortSignal.any([this.closing.signal, silence.signal])
    let timer = setTimeout(() => silence.abort(), SILENCE_MS)
    try {
      const response = await this.fetcher(this.address(), {
        headers: { Accept: 'text/event-stream' },
        cache: 'no-store',
        signal,
      })
      if (response.status === 401) return 'refused'
      if (!response.ok || !response.body) return 'cut'
      this.listener.started()
      const parser = new SseParser()
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_MS)
        parser.push(piece.value).forEach((frame) => this.tell(frame))
      }
      return 'cut'
    } finally {
      clearTimeout(timer)
    }
  }

  private address() {
    return this.position === null ? this.url : `${this.url}&after=${this.position}`
  }

  private tell(frame: Frame) {
    if (this.closing.signal.aborted) return
    this.failures = 0
    if (frame.event === 'position') this.position = (JSON.parse(frame.data) as { position: number }).position
    this.listener.frame(frame)
  }

  private waitForNextTry(): Promise<void> {
    const longest = Math.min(FIRST_WAIT_MS * 2 ** this.failures++, LONGEST_WAIT_MS)
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longest * (0.5 + Math.random() / 2))
      this.closing.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
}
