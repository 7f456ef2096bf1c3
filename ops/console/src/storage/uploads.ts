import { Problem } from '../api/problem'
import type { Begun, UploadApi } from './send_file'
import { sendFile } from './send_file'

export type UploadState = 'waiting' | 'reading' | 'sending' | 'cut' | 'exists' | 'failed' | 'done'

/** A file on its way to a folder. A new object for each change, so that React sees it. */
export type Upload = {
  key: number
  folder: string
  path: string
  bytes: number
  /** Bytes that were read, then bytes that have arrived. */
  progress: number
  state: UploadState
  error: unknown
}

type Kept = { view: Upload; file: File; overwrite: boolean; closing: AbortController; begun: Begun | null }

export type UploadTools = {
  hash(file: Blob, tell: (bytes: number) => void, signal: AbortSignal): Promise<string>
  api(folder: string, signal: AbortSignal): UploadApi
  begun(folder: string, path: string, sha256: string): Begun
  drop(folder: string, upload: string): Promise<unknown>
  /** A file has arrived: what is shown of its folder is old. */
  arrived(folder: string): void
}

const ENDED = new Set<UploadState>(['exists', 'failed', 'done'])
export const hasEndedUpload = ({ state }: Upload) => ENDED.has(state)

/** The files that this tab uploads, one after the other. They go on while other pages are looked at. */
export class Uploads {
  private kept: Kept[] = []
  private views: readonly Upload[] = []
  private readonly listeners = new Set<() => void>()
  private running = false
  private lastKey = 0

  constructor(private readonly tools: UploadTools) {}

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
  readonly all = () => this.views

  add(folder: string, paths: readonly { path: string; file: File }[]) {
    for (const { path, file } of paths) {
      const view: Upload = {
        key: ++this.lastKey,
        folder,
        path,
        bytes: file.size,
        progress: 0,
        state: 'waiting',
        error: null,
      }
      this.kept.push({ view, file, overwrite: false, closing: new AbortController(), begun: null })
    }
    this.changed()
    void this.run()
  }

  /** Takes it off the list; what has arrived of it is dropped. */
  cancel(key: number) {
    const one = this.kept.find(({ view }) => view.key === key)
    if (!one) return
    one.closing.abort(new DOMException('cancelled', 'AbortError'))
    const upload = one.view.state === 'done' ? null : one.begun?.get()
    if (upload) {
      one.begun?.set(null)
      this.tools.drop(one.view.folder, upload).catch(() => undefined)
    }
    this.kept = this.kept.filter((other) => other !== one)
    this.changed()
  }

  /** Tries once more; `overwrite`: in place of the file that is there. */
  again(key: number, overwrite: boolean) {
    const one = this.kept.find(({ view }) => view.key === key)
    if (!one || !hasEndedUpload(one.view)) return
    one.overwrite = overwrite
    this.show(one, { state: 'waiting', progress: 0, error: null })
    void this.run()
  }

  clearDone() {
    this.kept = this.kept.filter(({ view }) => view.state !== 'done')
    this.changed()
  }

  /** Whoever signs in next has no part in these. */
  cancelAll() {
    this.kept.forEach(({ closing }) => closing.abort(new DOMException('cancelled', 'AbortError')))
    this.kept = []
    this.changed()
  }

  private async run() {
    if (this.running) return
    this.running = true
    for (let next = this.nextOne(); next; next = this.nextOne()) await this.upload(next)
    this.running = false
  }

  private nextOne = () => this.kept.find(({ view }) => view.state === 'waiting')

  private async upload(one: Kept) {
    const { file, closing } = one
    const { folder, path } = one.view
    const { signal } = closing
    try {
      this.show(one, { state: 'reading' })
      const sha256 = await this.tools.hash(file, (progress) => this.show(one, { progress }), signal)
      this.show(one, { state: 'sending', progress: 0 })
      one.begun = this.tools.begun(folder, path, sha256)
      await sendFile({
        file,
        path,
        sha256,
        overwrite: one.overwrite,
        api: this.tools.api(folder, signal),
        begun: one.begun,
        tell: (progress, cut) => this.show(one, { progress, state: cut ? 'cut' : 'sending' }),
        signal,
      })
      this.show(one, { state: 'done', progress: file.size })
      this.tools.arrived(folder)
    } catch (error) {
      const exists = error instanceof Problem && error.code === 'path-exists'
      this.show(one, { state: exists ? 'exists' : 'failed', error })
    }
  }

  private show(one: Kept, changes: Partial<Upload>) {
    one.view = { ...one.view, ...changes }
    this.changed()
  }

  private changed() {
    this.views = this.kept.map(({ view }) => view)
    this.listeners.forEach((listener) => listener())
  }
}
