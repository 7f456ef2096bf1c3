import { expect, test } from 'vitest'
import type { Me } from '../../src/api/identity'
import { copyAs } from '../../src/launch/copy_as'
import { lineOf, mountError, mountsOf } from '../../src/launch/mounts'
import { manages, mountable, referenceOf, type Access, type Folder } from '../../src/storage/folder'

const ME = {
  user: 'alice',
  domain: 'lab',
  role: 'user',
  projects: [
    { project: 'ml', domain: 'lab', admin: false },
    { project: 'vision', domain: 'lab', admin: true },
  ],
  rights: { 'folder.change': 'own', 'folder.end': 'own' },
} as unknown as Me

let made = 0
const folder = (name: string, access: Access, changes: Partial<Folder> = {}): Folder => ({
  id: String(++made).padStart(32, '0'),
  name,
  owner: { domain: 'lab', user: access === 'own' ? 'alice' : 'bob' },
  volume: { id: 'f'.repeat(32), name: 'local' },
  state: 'READY',
  created_at: null,
  access,
  sessions: [],
  ...changes,
})

test('a session can mount what is READY and may be read', () => {
  const own = folder('own', 'own')
  const read = folder('read', 'read')
  const others = [
    folder('none', 'none'),
    folder('.automatic', 'own', { automatic: true }),
    ...(['CREATING', 'FAILED', 'TRASHED', 'PURGING'] as const).map((state) => folder('x', 'own', { state })),
  ]
  expect(mountable([read, ...others, own])).toEqual([own, read])
})

test('a folder is asked for by its name where that means it alone, else by its id', () => {
  const own = folder('data', 'own')
  const shared = folder('data', 'read')
  const alone = folder('models', 'write')
  const twice = [folder('set', 'read'), folder('set', 'write')] as const
  const unreadable = folder('models', 'none')
  const thrownAway = folder('data', 'own', { state: 'TRASHED' })
  const likeId = folder('0123456789abcdef0123456789abcdef', 'own')
  const all = [own, shared, alone, ...twice, unreadable, thrownAway, likeId]
  expect(referenceOf(own, all, ME)).toBe('data')
  expect(referenceOf(shared, all, ME)).toBe(shared.id)
  expect(referenceOf(alone, all, ME)).toBe('models')
  expect(referenceOf(twice[0], all, ME)).toBe(twice[0].id)
  expect(referenceOf(likeId, all, ME)).toBe(likeId.id)
})

test('a folder that may only be read is mounted read-only, whatever the line says', () => {
  const line = lineOf(folder('data', 'read'), [], ME)
  expect(line).toMatchObject({ readOnly: true, forced: true })
  const all = [folder('data', 'read')]
  const [only] = all
  if (!only) throw new Error('no folder')
  expect(mountsOf([{ ...lineOf(only, all, ME), readOnly: false }])).toEqual([
    { folder: 'data', read_only: true },
  ])
})

test('a mount names its target where the folder is not asked for by that name', () => {
  const own = folder('data', 'own')
  const shared = folder('data', 'write')
  const all = [own, shared]
  expect(mountsOf([lineOf(own, all, ME), { ...lineOf(shared, all, ME), target: ' theirs ' }])).toEqual([
    { folder: 'data' },
    { folder: shared.id, target: 'theirs' },
  ])
  expect(mountsOf([lineOf(shared, all, ME)])).toEqual([{ folder: shared.id, target: 'data' }])
})

test.each([
  [['data', 'set'], null],
  [['data', 'data'], 'launch.same-target'],
  [['.ssh'], 'launch.bad-target'],
  [['a/b'], 'launch.bad-target'],
  [['..'], 'launch.bad-target'],
  [['x'.repeat(65)], 'launch.bad-target'],
])('targets %j: %s', (targets, error) => {
  const lines = targets.map((target) => ({ ...lineOf(folder('f', 'own'), [], ME), target }))
  expect(mountError(lines)).toBe(error)
})

test('every copy of a request has its mounts', () => {
  const request = {
    group: 'default',
    mounts: [
      { folder: 'data', read_only: true },
      { folder: 'models', target: 'weights' },
      { folder: 'set', target: 'ro' },
      { folder: 'own' },
    ],
  }
  const cli = copyAs('cli', request, 'http://localhost')
  expect(cli).toContain('--mount data:ro')
  expect(cli).toContain('--mount models:weights')
  expect(cli).toContain('--mount set:ro:rw')
  expect(cli).toMatch(/--mount own$/)
  expect(copyAs('curl', request, 'http://localhost')).toContain(
    '"mounts":[{"folder":"data","read_only":true}',
  )
  expect(copyAs('yaml', request, 'http://localhost')).toContain(
    'mounts:\n  - {"folder":"data","read_only":true}',
  )
  expect(copyAs('python', request, 'http://localhost')).toContain('"mounts": [{\n')
})

test('a folder is managed by its owner, and by the rights table; a share gives no more than its files', () => {
  const ofProject = (project: string, access: Access) =>
    folder('set', access, { owner: { domain: 'lab', project } })
  expect(manages(ME, 'change', folder('data', 'own'))).toBe(true)
  expect(manages(ME, 'change', folder('data', 'write'))).toBe(false)
  expect(manages(ME, 'change', ofProject('ml', 'write'))).toBe(false)
  expect(manages(ME, 'change', ofProject('vision', 'own'))).toBe(true)
  const admin = {
    ...ME,
    user: 'root',
    projects: [],
    rights: { 'folder.change': 'own', 'folder.end': 'all' },
  } as Me
  expect(manages(admin, 'end', folder('data', 'none'))).toBe(true)
  expect(manages(admin, 'change', folder('data', 'none'))).toBe(false)
})
