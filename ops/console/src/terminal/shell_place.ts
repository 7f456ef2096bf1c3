import type { Begun } from './shell_messages'

/** What a reattachment found: lines printed meanwhile, bytes of them that are gone. `newer`: another shell has the name now. */
export type Return = { lines: number; lost: number; newer: boolean }

const NEWLINE = 10

/**
 * Where in the output of a shell this window is. A place is the number of bytes printed before it, as for the server; an
 * attachment begins with what is kept of the output, so that a window knows at its next one what it has missed.
 */
export class ShellPlace {
  private at: number | null = null
  private seen: number | null = null
  private end = 0
  private found: Return = { lines: 0, lost: 0, newer: false }

  begin({ made, scrollback, lost }: Begun) {
    this.end = lost + scrollback
    const newer = this.at !== null && (made || this.end < this.at)
    this.seen = newer ? null : this.at
    this.found = { lines: 0, lost: Math.max(0, lost - (this.seen ?? lost)), newer }
    this.at = lost
    return newer || this.seen !== null
  }

  /** Whether all that was printed before this attachment has come. */
  get caughtUp() {
    return this.at !== null && this.at >= this.end
  }

  get back(): Return {
    return this.found
  }

  output(bytes: Uint8Array) {
    const begin = this.at ?? 0
    this.at = begin + bytes.length
    if (this.seen === null || begin >= this.end) return
    const missed = bytes.subarray(Math.max(0, this.seen - begin), Math.max(0, this.end - begin))
    for (const byte of missed) if (byte === NEWLINE) this.found.lines += 1
  }

  lost(bytes: number) {
    const begin = this.at ?? 0
    this.at = begin + bytes
    if (this.seen === null) return
    this.found.lost += Math.max(0, Math.min(this.at, this.end) - Math.max(begin, this.seen))
  }
}
