import { expect, test } from 'vitest'
import type { Losses } from '../../src/api/schema.gen'
import { lossPath, lossWords } from '../../src/session/loss_words'
import { en } from '../../src/text/en'
import { fill, type Translate } from '../../src/text/text'

const t: Translate = (key, values) => fill(en[key], values)

const losses = (changes: Partial<Losses>): Losses => ({
  files: 0,
  bytes: 0,
  complete: true,
  names: [],
  unknown: [],
  ...changes,
})

test.each([
  [{}, 'No files outside storage folders end with the session.'],
  [{ files: 3, bytes: 52_480 }, 'Files outside storage folders end with the session: 3 (51.25 KiB).'],
  [
    { files: 3, bytes: 52_480, complete: false },
    'Files outside storage folders end with the session: at least 3 (51.25 KiB). Not all could be looked at.',
  ],
  [
    { complete: false },
    'Files outside storage folders may end with the session: not all could be looked at.',
  ],
])('of %o it is said: %s', (changes, words) => {
  expect(lossWords(losses(changes), t)).toBe(words)
})

test('a path names its kernel where there are several', () => {
  const one = { kernel: 'main1', path: '/a', bytes: 1 }
  const other = { kernel: 'sub1', path: '/a', bytes: 1 }
  expect(lossPath(one, [one, one])).toBe('/a')
  expect(lossPath(one, [one, other])).toBe('main1:/a')
})
