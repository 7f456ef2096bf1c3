import { sha256OfFile } from './sha256'

/** What the worker tells: how much it has read, then the sum or that the file cannot be read. */
export type FromHashWorker = { read: number } | { sha256: string } | { unreadable: true }

const tell = (message: FromHashWorker) => postMessage(message)

onmessage = ({ data }: MessageEvent<Blob>) => {
  sha256OfFile(data, (read) => tell({ read })).then(
    (sha256) => tell({ sha256 }),
    () => tell({ unreadable: true }),
  )
}
