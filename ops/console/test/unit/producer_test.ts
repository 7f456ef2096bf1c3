import { expect, test } from 'vitest'
import { newToken, ownerText, ownersOf, wordsOf } from '../../src/admin/producer_token'

test('a token is told once; the server knows its BLAKE2b-128 and for how long', () => {
  const made = newToken(Date.parse('2026-11-25T12:00:00.750Z'), new Uint8Array(32))
  expect(made.token).toBe('0'.repeat(64))
  expect(made.token_hash).toBe('d6f8cf7adfaa600d911df2832bffbe36')
  expect(made.expires_at).toBe('2026-11-25T12:15:00.000Z')
  expect(newToken().token).not.toBe(newToken().token)
})

test('owners are written as the command line writes them', () => {
  const owners = ownersOf('user:alice\nproject:default/ml, cluster')
  expect(owners).toEqual([
    { scope: 'user', id: 'alice' },
    { scope: 'project', id: 'default/ml' },
    { scope: 'cluster', id: '' },
  ])
  expect(owners.map(ownerText)).toEqual(['user:alice', 'project:default/ml', 'cluster'])
  expect(wordsOf(' a\n b,,c ')).toEqual(['a', 'b', 'c'])
})
