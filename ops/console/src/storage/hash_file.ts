import type { FromHashWorker } from './hash_worker'
import { Unreadable } from './send_file'

/** The SHA-256 of a file, found by a worker: the page stays quick meanwhile. */
export function hashFile(file: Blob, tell: (bytes: number) => void, signal: AbortSignal): Promise<string> {
  const worker = new Worker(new URL('./hash_worker.ts', import.meta.url), { type: 'module' })
  return new Promise<string>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    worker.onerror = () => reject(new Unreadable())
    worker.onmessage = ({ data }: MessageEvent<FromHashWorker>) => {
      if ('read' in data) tell(data.read)
      else if ('sha256' in data) resolve(data.sha256)
      else reject(new Unreadable())
    }
    worker.postMessage(file)
  }).finally(() => worker.terminate())
}
