import { sha256 } from '@noble/hashes/sha2.js'

const PIECE = 4 << 20

export function hexOf(bytes: ArrayBuffer | Uint8Array): string {
  const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)
  return Array.from(view, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** SHA-256 of a file of any size, of which one piece at a time is in memory; what crypto.subtle has takes all at once. */
export async function sha256OfFile(file: Blob, tell: (bytes: number) => void): Promise<string> {
  const hash = sha256.create()
  for (let offset = 0; offset < file.size; offset += PIECE) {
    hash.update(new Uint8Array(await file.slice(offset, offset + PIECE).arrayBuffer()))
    tell(Math.min(offset + PIECE, file.size))
  }
  return hexOf(hash.digest())
}

export const sha256OfChunk = async (bytes: ArrayBuffer) => hexOf(await crypto.subtle.digest('SHA-256', bytes))
