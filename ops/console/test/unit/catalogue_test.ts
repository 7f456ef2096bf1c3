import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { en } from '../../src/text/en'
import { ko } from '../../src/text/ko'

const SOURCES = join(import.meta.dirname, '../../src')
/** Keys that are put together of two parts: a role's, a reason's code. */
const COMPOSED = /^(nav|role|reason|scope|phase|type|copy|admin|agent|remove)\./

const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('text/'))
  .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
  .join('\n')

const holes = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

test('Korean has every text that English has, and no other', () => {
  expect(Object.keys(ko).sort()).toEqual(Object.keys(en).sort())
})

test('no text is empty', () => {
  expect([...Object.entries(en), ...Object.entries(ko)].filter(([, text]) => text.trim() === '')).toEqual([])
})

test('a text and its translation are filled in with the same values', () => {
  const differing = Object.entries(en).filter(
    ([key, text]) => `${holes(text)}` !== `${holes(ko[key as keyof typeof en])}`,
  )
  expect(differing.map(([key]) => key)).toEqual([])
})

test('Korean is Korean, but for names', () => {
  const untranslated = Object.entries(ko).filter(
    ([key, text]) => text === en[key as keyof typeof en] && /[a-z]{4}/.test(text.replace(/\{\w+\}/g, '')),
  )
  expect(untranslated.map(([key]) => key)).toEqual(['copy.curl', 'copy.python'])
})

test('every text is used', () => {
  const unused = Object.keys(en).filter((key) => !COMPOSED.test(key) && !sources.includes(`'${key}'`))
  expect(unused).toEqual([])
})

test('no text stands in a component itself', () => {
  const written = [...sources.matchAll(/>\s*([A-Z][a-z]+ [a-z]+[^<{]*)</g)].map(([, text]) => text)
  expect(written).toEqual([])
})
