import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { en } from '../../src/text/en'
import { ko } from '../../src/text/ko'

const SOURCES = join(import.meta.dirname, '../../src')
/** Keys that are put together of two parts: a role's, a reason's code. */
const COMPOSED = /^(egress|nav|role|reason|scope|phase|type|copy|admin|agent|remove|past|usage|operations|decision)\./

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

/** Which of the two forms of these is right depends on the sound that the value before them ends in. */
const PARTICLE_OF_VALUE = /\}[)\]’”`]?\s?(은|는|이|가|을|를|과|와|으로|로|이나|나|이라|라)(?![가-힣])/

test.each([
  ['{name}을 삭제할까요?', true],
  ['({free})로 바꿉니다', true],
  ['{name} 세션을 삭제할까요?', false],
  ['세션 {n}개를 종료할까요?', false],
  ['{name}에서', false],
])('that %s hangs on the sound of a value: %s', (text, hangs) => {
  expect(PARTICLE_OF_VALUE.test(text)).toBe(hangs)
})

test('no Korean particle hangs on the sound of a value that is filled in', () => {
  expect(Object.entries(ko).filter(([, text]) => PARTICLE_OF_VALUE.test(text))).toEqual([])
})

test('one word a thing: people log in', () => {
  expect(Object.entries(en).filter(([, text]) => /sign(ed|s)?[- ](in|out)\b/i.test(text))).toEqual([])
})

test('every text is used', () => {
  const unused = Object.keys(en).filter((key) => !COMPOSED.test(key) && !sources.includes(`'${key}'`))
  expect(unused).toEqual([])
})

test('no text stands in a component itself', () => {
  const written = [...sources.matchAll(/>\s*([A-Z][a-z]+ [a-z]+[^<{]*)</g)].map(([, text]) => text)
  expect(written).toEqual([])
})
