import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { Problem } from '../../src/api/problem'
import { begunUpload } from '../../src/storage/begun_uploads'
import { droppedFiles } from '../../src/storage/dropped'
import { CHUNK_BYTES, Unreadable, sendFile, type Begun, type UploadApi } from '../../src/storage/send_file'
import { sha256OfFile } from '../../src/storage/sha256'
import { Uploads, type UploadTools } from '../../src/storage/uploads'

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Of any two chunks none are alike. */
function someBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 4099) bytes[at] = (at * 31 + (at >> 9)) & 255
  return bytes
}

const fileOf = (bytes: Uint8Array<ArrayBuffer>, name = 'f') => new File([bytes], name)

/** A server in memory; `faults` are thrown one after the other by the calls that they name. */
class Server implements UploadApi {
  readonly files = new Map<string, Uint8Array>()
  readonly uploads = new Map<string, { path: string; bytes: number; sha256: string; came: Uint8Array }>()
  readonly calls: string[] = []
  faults: { at: string; error: Error; after?: boolean }[] = []
  private made = 0

  private async answer<T>(name: string, act: () => T): Promise<T> {
    this.calls.push(name)
    const fault = this.faults[0]?.at === name ? this.faults.shift() : undefined
    if (fault && !fault.after) throw fault.error
    const answer = act()
    if (fault) throw fault.error
    return answer
  }

  private find(upload: string) {
    const found = this.uploads.get(upload)
    if (!found) throw new Problem(404, 'unknown-upload', '')
    return found
  }

  begin = (path: string, bytes: number, sha256: string, overwrite: boolean) =>
    this.answer('begin', () => {
      if (this.files.has(path) && !overwrite) throw new Problem(409, 'path-exists', '')
      const upload = `u${++this.made}`
      this.uploads.set(upload, { path, bytes, sha256, came: new Uint8Array() })
      return { upload, offset: 0 }
    })

  progress = (upload: string) => this.answer('progress', () => ({ offset: this.find(upload).came.length }))

  put = (upload: string, offset: number, bytes: ArrayBuffer, sha256: string) =>
    this.answer('put', () => {
      const found = this.find(upload)
      if (found.came.length !== offset) throw new Problem(409, 'offset-differs', '')
      if (sumOf(new Uint8Array(bytes)) !== sha256) throw new Problem(422, 'checksum-differs', '')
      found.came = Buffer.concat([found.came, new Uint8Array(bytes)])
      return { offset: found.came.length }
    })

  finish = (upload: string) =>
    this.answer('finish', () => {
      const { path, bytes, sha256, came } = this.find(upload)
      if (came.length !== bytes || sumOf(came) !== sha256) throw new Problem(422, 'checksum-differs', '')
      this.files.set(path, came)
      this.uploads.delete(upload)
    })
}

function remembered(upload: string | null = null): Begun {
  let kept = upload
  return { get: () => kept, set: (next) => void (kept = next) }
}

const CUT = new Problem(0, 'unreachable', '')

async function send(
  server: Server,
  bytes: Uint8Array<ArrayBuffer>,
  more: Partial<Parameters<typeof sendFile>[0]> = {},
) {
  const told: [number, boolean][] = []
  const waits: number[] = []
  await sendFile({
    file: fileOf(bytes),
    path: 'f',
    sha256: sumOf(bytes),
    overwrite: false,
    api: server,
    begun: remembered(),
    tell: (sent, cut) => told.push([sent, cut]),
    signal: new AbortController().signal,
    pause: async (ms) => void waits.push(ms),
    ...more,
  })
  return { told, waits }
}

test.each([0, 1, (4 << 20) - 1, (4 << 20) + 1])(
  'the sum of a file of %i bytes is its SHA-256',
  async (size) => {
    const bytes = someBytes(size)
    const read: number[] = []
    expect(await sha256OfFile(fileOf(bytes), (done) => read.push(done))).toBe(sumOf(bytes))
    expect(read.at(-1) ?? 0).toBe(size)
  },
)

test('a file goes in chunks of 4 MiB, and is there when it is finished', async () => {
  const server = new Server()
  const bytes = someBytes(CHUNK_BYTES * 2 + 3)
  const { told } = await send(server, bytes)
  expect(server.calls).toEqual(['begin', 'put', 'put', 'put', 'finish'])
  expect(told.map(([sent]) => sent)).toEqual([0, CHUNK_BYTES, CHUNK_BYTES * 2, bytes.length])
  expect(sumOf(server.files.get('f') ?? new Uint8Array())).toBe(sumOf(bytes))
})

test('an empty file is begun and finished', async () => {
  const server = new Server()
  await send(server, new Uint8Array())
  expect(server.calls).toEqual(['begin', 'finish'])
  expect(server.files.has('f')).toBe(true)
})

test('after a cut it goes on behind what has arrived, told or not, however long it takes', async () => {
  const server = new Server()
  const bytes = someBytes(CHUNK_BYTES * 3)
  server.faults = [
    { at: 'put', error: CUT, after: true }, // it arrived, but its answer was lost
    { at: 'progress', error: CUT },
    { at: 'progress', error: new Problem(409, 'volume-unavailable', '') }, // the folder's agent is away
    { at: 'put', error: CUT },
    { at: 'finish', error: new Problem(503, 'stopping', '') },
  ]
  const { told, waits } = await send(server, bytes)
  expect(server.calls.filter((one) => one === 'begin')).toHaveLength(1)
  expect(server.calls.filter((one) => one === 'put')).toHaveLength(4)
  expect(waits).toEqual([500, 1_000, 2_000, 500, 500])
  expect(told.filter(([, cut]) => cut)).toHaveLength(5)
  expect(sumOf(server.files.get('f') ?? new Uint8Array())).toBe(sumOf(bytes))
})

test('a chunk that is damaged on its way is sent again, but not for ever', async () => {
  const damaged = () => ({ at: 'put', error: new Problem(422, 'checksum-differs', '') })
  const server = new Server()
  server.faults = [damaged(), damaged()]
  await send(server, someBytes(10))
  expect(server.files.has('f')).toBe(true)
  const broken = new Server()
  broken.faults = [damaged(), damaged(), damaged()]
  await expect(send(broken, someBytes(10))).rejects.toMatchObject({ code: 'checksum-differs' })
})

test('an upload that was begun before goes on; one that the server has forgotten is begun anew', async () => {
  const server = new Server()
  const bytes = someBytes(CHUNK_BYTES + 7)
  const begun = remembered()
  const closing = new AbortController()
  const stopped = send(server, bytes, {
    begun,
    signal: closing.signal,
    tell: (sent) => sent > 0 && closing.abort(new Error('closed')),
  })
  await expect(stopped).rejects.toThrow('closed')
  expect(begun.get()).toBe('u1')
  server.calls.length = 0
  await send(server, bytes, { begun })
  expect(server.calls).toEqual(['progress', 'put', 'finish'])
  expect(begun.get()).toBeNull()
  const anew = new Server()
  await send(anew, bytes, { begun: remembered('long gone') })
  expect(anew.calls).toEqual(['progress', 'begin', 'put', 'put', 'finish'])
})

test('a refusal ends it, and so does a file that cannot be read', async () => {
  const server = new Server()
  server.faults = [{ at: 'put', error: new Problem(507, 'volume-full', 'no room') }]
  await expect(send(server, someBytes(10))).rejects.toMatchObject({ code: 'volume-full' })
  const unreadable = {
    size: 10,
    slice: () => ({ size: 10, arrayBuffer: () => Promise.reject(new Error('gone')) }),
  }
  await expect(
    send(new Server(), someBytes(10), { file: unreadable as unknown as Blob }),
  ).rejects.toBeInstanceOf(Unreadable)
})

test('which uploads were begun is kept, the newest 50, each by folder, path and sum', () => {
  const items = new Map<string, string>()
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
  }
  begunUpload('a', 'f', 'sum', storage).set('u')
  expect(begunUpload('a', 'f', 'sum', storage).get()).toBe('u')
  expect(begunUpload('b', 'f', 'sum', storage).get()).toBeNull()
  expect(begunUpload('a', 'f', 'other', storage).get()).toBeNull()
  for (let n = 0; n < 50; n++) begunUpload('c', String(n), 'sum', storage).set(`u${n}`)
  expect(begunUpload('a', 'f', 'sum', storage).get()).toBeNull()
  begunUpload('c', '49', 'sum', storage).set(null)
  expect(begunUpload('c', '49', 'sum', storage).get()).toBeNull()
  items.set('berth.uploads', 'no JSON')
  expect(begunUpload('c', '48', 'sum', storage).get()).toBeNull()
})

test('of what is dropped files are taken and folders are named', () => {
  const file = new File(['x'], 'x.txt')
  const item = (kind: string, isDirectory: boolean, name: string) => ({
    kind,
    getAsFile: () => (kind === 'file' ? file : null),
    webkitGetAsEntry: () => ({ isDirectory, name }) as FileSystemEntry,
  })
  const dropped = droppedFiles({
    items: [item('file', false, 'x.txt'), item('file', true, 'runs'), item('string', false, '')],
  })
  expect(dropped).toEqual({ files: [file], folders: ['runs'] })
})

function uploadsTo(server: Server) {
  const dropped: string[] = []
  const arrived: string[] = []
  const tools: UploadTools = {
    hash: (file, tell) => sha256OfFile(file, tell),
    api: () => server,
    begun: () => remembered(),
    drop: async (_, upload) => void dropped.push(upload),
    arrived: (folder) => arrived.push(folder),
  }
  const uploads = new Uploads(tools)
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => holds() && (end(), resolve())
      const end = uploads.subscribe(look)
      look()
    })
  return { uploads, dropped, arrived, until }
}

test('files go one after the other; one that is there waits until it is to be replaced', async () => {
  const server = new Server()
  server.files.set('b', new Uint8Array([1]))
  const { uploads, arrived, until } = uploadsTo(server)
  const states = () => uploads.all().map(({ path, state }) => `${path} ${state}`)
  uploads.add(
    'folder',
    ['a', 'b', 'c'].map((path) => ({ path, file: fileOf(someBytes(5)) })),
  )
  await until(() => states().join() === 'a done,b exists,c done')
  expect(arrived).toEqual(['folder', 'folder'])
  uploads.again(2, true)
  await until(() => states().join() === 'a done,b done,c done')
  expect(server.files.get('b')).toHaveLength(5)
  uploads.clearDone()
  expect(uploads.all()).toEqual([])
})

test('a cancelled upload leaves the list, and what has arrived of it is dropped', async () => {
  const server = new Server()
  const reached = new Promise<void>((resolve) => {
    server.put = () => {
      resolve()
      return new Promise(() => {})
    }
  })
  const { uploads, dropped } = uploadsTo(server)
  uploads.add('folder', [{ path: 'a', file: fileOf(someBytes(5)) }])
  await reached
  uploads.cancel(1)
  expect(uploads.all()).toEqual([])
  expect(dropped).toEqual(['u1'])
})
