// A book of every answer to every request of this producer, one JSON line each. Berth tells them from any place on, so the
// last line of the book is all that has to be remembered: whatever is cut or killed, each answer is in it exactly once.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Berth } from './berth.js'
import { framesOf } from './frames.js'

const RETRY_MS = 1_000

export class AnswerBook {
  last: string

  constructor(private readonly path: string) {
    this.last = lastIdIn(path)
  }

  /** Until `signal`. Never rejects: what goes wrong is told to `note`, and tried again. */
  async follow(berth: Berth, note: (text: string) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.read(berth, signal)
      } catch (error) {
        if (!signal.aborted) note(`answers: ${error instanceof Error ? error.message : String(error)}; trying again`)
      }
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  private async read(berth: Berth, signal: AbortSignal): Promise<void> {
    const reply = await berth.stream({
      path: `/v1/producers/${berth.name}/answers`,
      ...(this.last === '' ? { query: { from: '0' } } : { lastEventId: this.last }),
      signal,
    })
    for await (const frame of framesOf(reply)) {
      if (frame.event === 'error') return
      if (frame.id !== '') this.write(frame.id, frame.data)
    }
  }

  private write(id: string, data: string): void {
    const file = openSync(this.path, 'a', 0o600)
    try {
      writeSync(file, data + '\n')
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    this.last = id
  }
}

/** The id of the last whole line. Half a line is what a crash left: it is cut off, and told again. */
function lastIdIn(path: string): string {
  if (!existsSync(path)) return ''
  const text = readFileSync(path)
  const end = text.lastIndexOf(0x0a) + 1
  if (end < text.length) truncateSync(path, end)
  const lines = text.subarray(0, end).toString('utf8').trimEnd().split('\n')
  const line = lines[lines.length - 1] ?? ''
  return line === '' ? '' : (JSON.parse(line) as { id: string }).id
}
