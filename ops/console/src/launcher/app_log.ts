const KEPT = 65_536

/** What programs write for a terminal: colours, titles, moves of the cursor. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])/g
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g

/** As lines of text: of a line that was written over, what it ended as. */
export const plainText = (text: string) =>
  text
    .replace(SEQUENCES, '')
    .replace(/\r+\n/g, '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replace(CONTROLS, '')

/** The newest of what an app has printed. */
export class AppLog {
  private printed = ''
  private decoder = new TextDecoder()
  private shown: string | null = ''

  clear() {
    this.printed = ''
    this.decoder = new TextDecoder()
    this.shown = ''
  }

  push(bytes: Uint8Array) {
    this.printed += this.decoder.decode(bytes, { stream: true })
    if (this.printed.length > 2 * KEPT) this.printed = this.printed.slice(-KEPT)
    this.shown = null
  }

  get text(): string {
    this.shown ??= plainText(this.printed.slice(-KEPT))
    return this.shown
  }
}
