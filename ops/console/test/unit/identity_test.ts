import { expect, test } from 'vitest'
import { levelsOf, linesOf, placesText } from '../../src/admin/members'
import { manages, mayOn, type Me } from '../../src/api/identity'
import { en } from '../../src/text/en'
import type { Translate } from '../../src/text/text'

const t: Translate = (key) => en[key]
const project = (name: string, domain = 'lab') => ({ domain, project: name })

function person(reach: string): Me {
  const projects = [
    { ...project('ml'), admin: true },
    { ...project('web'), admin: false },
  ]
  return { user: 'alice', domain: 'lab', projects, rights: { 'session.end': reach } } as unknown as Me
}

test.each([
  ['none', { ...project('ml'), user: 'alice' }, false],
  ['all', project('other', 'away'), true],
  ['own', { ...project('ml'), user: 'alice' }, true],
  ['own', { ...project('ml'), user: 'bob' }, false],
  ['own', project('web'), true],
  ['project', { ...project('ml'), user: 'bob' }, true],
  ['project', { ...project('web'), user: 'bob' }, false],
  ['project', project('ml', 'away'), false],
  ['domain', { ...project('other'), user: 'bob' }, true],
  ['domain', project('ml', 'away'), false],
])('a right that reaches to %s, of %o: %s', (reach, owner, may) => {
  expect(mayOn(person(reach), 'session', 'end', owner)).toBe(may)
})

test('members that are not the caller’s to see are none, and no fault', () => {
  expect(placesText(null, t)).toBe('–')
  expect(linesOf(null)).toBe('')
})

test('names of members and of projects are marked alike', () => {
  expect(
    placesText(
      [
        { user: 'alice', admin: true },
        { user: 'bob', admin: false },
      ],
      t,
    ),
  ).toBe('alice (admin), bob')
  expect(placesText([{ project: 'ml', admin: true }], t)).toBe('ml (admin)')
})

test('lines of members are read as they are written', () => {
  const lines = linesOf([
    { user: 'alice', admin: true },
    { user: 'bob', admin: false },
  ])
  expect([...levelsOf(`${lines}\n\n`)]).toEqual([
    ['alice', 'admin'],
    ['bob', 'member'],
  ])
})

test('nobody manages a role above their own, nor who is of another domain', () => {
  const dora = {
    ...person('none'),
    user: 'dora',
    role: 'domain-admin',
    rights: { 'user.change': 'domain' },
  } as Me
  const user = (role: string, domain = 'lab') =>
    ({ name: 'x', role, domain }) as Parameters<typeof manages>[1]
  expect(manages(dora, user('user'))).toBe(true)
  expect(manages(dora, user('domain-admin'))).toBe(true)
  expect(manages(dora, user('superadmin'))).toBe(false)
  expect(manages(dora, user('monitor'))).toBe(false)
  expect(manages(dora, user('user', 'away'))).toBe(false)
})
