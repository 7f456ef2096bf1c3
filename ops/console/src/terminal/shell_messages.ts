/** The WebSockets of shells and apps: a text message is JSON, a binary one is what is printed behind a byte that says so. */
export const SUBPROTOCOL = 'berth.session.v1'

/** Bytes of what is typed in one message, as the server takes them. */
const TYPED_MAX = 65_536
const STDOUT = 1
/** Columns and rows that a terminal may have. */
const SIDE_MAX = 1_000

export type Size = { columns: number; rows: number }
/** `scrollback`: so many of the bytes that come were printed before, `lost`: so many before those are gone. */
export type Begun = { made: boolean; scrollback: number; lost: number; restarts: number }
export type Refusal = { code: string; message: string; hint: string }

export type Message =
  | { kind: 'begun'; begun: Begun }
  | { kind: 'output'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'lost'; bytes: number }
  | { kind: 'app'; state: string; exitCode: number; signal: number }
  | { kind: 'ended'; exitCode: number; signal: number }
  | { kind: 'problem'; problem: Refusal }

/** Null for what a newer server may say and this console does not know. */
export function readMessage(data: unknown): Message | null {
  if (data instanceof ArrayBuffer) {
    const bytes = new Uint8Array(data)
    return bytes[0] === STDOUT ? { kind: 'output', bytes: bytes.subarray(1) } : null
  }
  return typeof data === 'string' ? readText(data) : null
}

function readText(text: string): Message | null {
  const told = objectOf(parsed(text))
  if ('begun' in told) return { kind: 'begun', begun: begunOf(objectOf(told.begun)) }
  if ('lost' in told) return { kind: 'lost', bytes: numberOf(told.lost) }
  if ('app' in told) {
    const app = objectOf(told.app)
    return { kind: 'app', state: textOf(app.state), ...endOf(app) }
  }
  if ('ended' in told) return { kind: 'ended', ...endOf(objectOf(told.ended)) }
  if ('problem' in told) {
    const { code, message, hint } = objectOf(told.problem)
    return {
      kind: 'problem',
      problem: { code: textOf(code), message: textOf(message), hint: textOf(hint) },
    }
  }
  return null
}

const begunOf = ({ made, scrollback, lost, restarts }: Record<string, unknown>): Begun => ({
  made: made === true,
  scrollback: numberOf(scrollback),
  lost: numberOf(lost),
  restarts: numberOf(restarts),
})

const endOf = ({ exit_code, signal }: Record<string, unknown>) => ({
  exitCode: numberOf(exit_code),
  signal: numberOf(signal),
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const objectOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
const numberOf = (value: unknown) => (typeof value === 'number' && value > 0 ? value : 0)
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** The first message: which shell, and how large the terminal is. `existing`: it is not made anew. */
export const openText = (name: string, existing: boolean, size: Size) =>
  JSON.stringify({ name, existing, ...bounded(size) })

export const sizeText = (size: Size) => JSON.stringify(bounded(size))

const side = (count: number) => Math.min(Math.max(Math.floor(count), 1), SIDE_MAX)
const bounded = ({ columns, rows }: Size): Size => ({ columns: side(columns), rows: side(rows) })

/** What is typed, in messages: a character may lie in two, as bytes have no other order. */
export function typedPieces(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const pieces = []
  for (let begin = 0; begin < bytes.length; begin += TYPED_MAX)
    pieces.push(bytes.subarray(begin, begin + TYPED_MAX))
  return pieces
}

/** What xterm.js calls binary is a character a byte. */
export const bytesOfBinary = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
