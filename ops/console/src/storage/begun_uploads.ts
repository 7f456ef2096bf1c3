import type { Begun } from './send_file'

const KEPT = 'berth.uploads'
const MOST = 50

type Kept = Pick<Storage, 'getItem' | 'setItem'>

function readAll(storage: Kept): [key: string, upload: string][] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEPT) ?? '[]')
    return Array.isArray(kept) ? (kept as [string, string][]) : []
  } catch {
    return []
  }
}

/** The uploads that this browser has begun and not finished, the newest last: a file that is chosen again after the console was closed goes on. */
export function begunUpload(
  folder: string,
  path: string,
  sha256: string,
  storage: Kept = localStorage,
): Begun {
  const key = `${folder}/${path}/${sha256}`
  return {
    get: () => readAll(storage).find(([one]) => one === key)?.[1] ?? null,
    set: (upload) => {
      const others = readAll(storage).filter(([one]) => one !== key)
      const all = upload === null ? others : [...others, [key, upload] as [string, string]]
      storage.setItem(KEPT, JSON.stringify(all.slice(-MOST)))
    },
  }
}
