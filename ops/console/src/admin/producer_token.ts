import { blake2b } from '@noble/hashes/blake2.js'
import { hexOf } from '../storage/sha256'

const TOKEN_BYTES = 32
const HASH_BYTES = 16
const VALID_MS = 15 * 60_000

export type NewToken = { token: string; token_hash: string; expires_at: string }

/** Of a token the server is told the hash alone: who brings the token gets the key, once, within 15 minutes. */
export function newToken(
  now = Date.now(),
  bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)),
): NewToken {
  const token = hexOf(bytes)
  const hash = blake2b(new TextEncoder().encode(token), { dkLen: HASH_BYTES })
  const expires = new Date(Math.floor((now + VALID_MS) / 1_000) * 1_000)
  return { token, token_hash: hexOf(hash), expires_at: expires.toISOString() }
}

type Owner = { scope: string; id: string }

/** `user:alice`, `project:DOMAIN/NAME`, `domain:NAME` or `cluster`, one a line. */
export function ownersOf(lines: string): Owner[] {
  return wordsOf(lines).map((line) => {
    const colon = line.indexOf(':')
    return colon < 0 ? { scope: line, id: '' } : { scope: line.slice(0, colon), id: line.slice(colon + 1) }
  })
}

export const ownerText = ({ scope, id }: Owner) => (id ? `${scope}:${id}` : scope)

export const wordsOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)
