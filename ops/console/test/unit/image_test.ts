import { expect, test } from 'vitest'
import type { Image } from '../../src/api/schema.gen'
import { en } from '../../src/text/en'
import { fill, type Translate } from '../../src/text/text'
import { buildMore, buildWords, isMissing } from '../../src/ui/image_build'

const t: Translate = (key, values) => fill(en[key], values)

function image(changes: Partial<Image>): Image {
  const stored = {
    reference: 'jupyter:4.6',
    source: 'oci:/images/jupyter:4.6',
    digest: '',
    architecture: 'x86_64',
  }
  const said = { labels: {}, apps: [], memory_min: null, memory_recommended: null }
  return { ...stored, ...said, building: null, build_failed: null, ...changes }
}

test.each([
  [{}, '', undefined],
  [{ building: { percent: 43, step: 'packages' } }, 'being built, 43 %', 'packages'],
  [{ building: { percent: 0, step: '' } }, 'being built, 0 %', undefined],
  [{ build_failed: 'no space left' }, 'build failed', 'no space left'],
])('an image %o says of its build: %s', (changes, words, more) => {
  expect(buildWords(image(changes), t)).toBe(words)
  expect(buildMore(image(changes))).toBe(more)
})

test('an image that is built anew is there meanwhile', () => {
  const building = { percent: 43, step: '' }
  expect(isMissing(image({ building }))).toBe(false)
  expect(isMissing(image({ building, source: '' }))).toBe(true)
})
