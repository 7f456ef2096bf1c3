import { Problem } from '../api/problem'
import { sha256OfChunk } from './sha256'

export const CHUNK_BYTES = 4 << 20
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000
/** A chunk is damaged on its way once; what is damaged each time is not sent for ever. */
const DAMAGED_MOST = 3

/** The browser cannot read the file, or it has become another since it was chosen. */
export class Unreadable extends Error {}

/** The uploads of one folder, as the API has them. */
export type UploadApi = {
  begin(path: string, bytes: number, sha256: string, overwrite: boolean): Promise<Progress>
  progress(upload: string): Promise<Progress>
  put(upload: string, offset: number, bytes: ArrayBuffer, sha256: string): Promise<Progress>
  finish(upload: string): Promise<unknown>
}
export type Progress = { upload?: string; offset: number }

/** Which upload of a file was begun before, so that the same file goes on where it stood. */
export type Begun = { get(): string | null; set(upload: string | null): void }

export type Sending = {
  file: Blob
  path: string
  sha256: string
  overwrite: boolean
  api: UploadApi
  begun: Begun
  /** `cut`: the server, or the folder's agent, is out of reach at the moment; it is tried again. */
  tell: (sent: number, cut: boolean) => void
  signal: AbortSignal
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Sends a file in chunks, each with its sum, and goes on behind what has arrived after a cut, of whatever length, until `signal`. */
export async function sendFile(sending: Sending): Promise<void> {
  const { file, path, sha256, overwrite, api, begun, tell, signal, pause = wait } = sending
  let failures = 0
  let damaged = 0
  let sent = 0
  const advance = (offset: number) => {
    failures = 0
    sent = offset
    tell(sent, false)
  }
  const find = async () => {
    const known = begun.get()
    if (known !== null) {
      const progress = await api.progress(known).catch(forgetUnknown)
      if (progress) return { upload: known, offset: progress.offset }
    }
    const { upload = '', offset } = await api.begin(path, file.size, sha256, overwrite)
    begun.set(upload)
    return { upload, offset }
  }
  const forgetUnknown = (error: unknown) => {
    if (codeOf(error) !== 'unknown-upload') throw error
    begun.set(null)
    return null
  }
  const attempt = async () => {
    const { upload, offset } = await find()
    advance(offset)
    while (sent < file.size) {
      signal.throwIfAborted()
      const chunk = await read(file.slice(sent, sent + CHUNK_BYTES))
      advance((await api.put(upload, sent, chunk, await sha256OfChunk(chunk))).offset)
      damaged = 0
    }
    await api.finish(upload)
    begun.set(null)
  }
  for (;;) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      const wasDamaged = codeOf(error) === 'checksum-differs' && sent < file.size && ++damaged < DAMAGED_MOST
      if (!wasDamaged && !isPassing(error)) throw error
      tell(sent, isCut(error))
      await pause(Math.min(FIRST_WAIT_MS * 2 ** failures++, LONGEST_WAIT_MS), signal)
    }
  }
}

const codeOf = (error: unknown) => (error instanceof Problem ? error.code : '')

/** The server is out of reach, or the agent that has the folder: what has arrived is kept there. */
const isCut = (error: unknown) =>
  error instanceof Problem && (error.unreachable || error.code === 'volume-unavailable')

/** What is otherwise a moment later: the offset is asked for anew then. */
const PASSING = new Set(['offset-differs', 'upload-busy', 'unknown-upload'])
const isPassing = (error: unknown) =>
  isCut(error) || (error instanceof Problem && (error.status === 429 || PASSING.has(error.code)))

async function read(chunk: Blob): Promise<ArrayBuffer> {
  const bytes = await chunk.arrayBuffer().catch(() => null)
  if (bytes === null || bytes.byteLength !== chunk.size) throw new Unreadable()
  return bytes
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
