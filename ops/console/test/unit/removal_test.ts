import { expect, test } from 'vitest'
import type { Project, User } from '../../src/api/identity'
import type { Agent, Session } from '../../src/api/schema.gen'
import { holdersOf, liveSessionsOf, type Kind, type Known } from '../../src/admin/removal'

const session = (user: string, status: string, changes = {}) =>
  ({
    status,
    owner: { domain: 'lab', project: 'ml', user },
    group: 'gpu',
    image: 'python:3.11',
    roles: [{ image: 'python:3.11' }],
    ...changes,
  }) as unknown as Session

const known: Known = {
  sessions: [
    session('alice', 'RUNNING'),
    session('alice', 'TERMINATED'),
    session('bob', 'PENDING', { group: 'cpu', image: '', roles: [{ image: 'torch:2' }] }),
  ],
  agents: [
    { name: 'a2', group: 'gpu', state: 'LOST' },
    { name: 'a1', group: 'gpu', state: 'ALIVE' },
    { name: 'b1', group: 'cpu', state: 'ALIVE' },
  ] as Agent[],
  users: [
    { name: 'bob', domain: 'lab' },
    { name: 'eve', domain: 'other' },
  ] as User[],
  projects: [
    { domain: 'lab', name: 'ml', members: [{ user: 'bob', admin: false }] },
    { domain: 'other', name: 'ml', members: [] as Project['members'] },
  ] as Project[],
}
const removal = (kind: Kind, id: string) => ({ kind, id, name: id, path: '' })

test.each<[Kind, string, number]>([
  ['user', 'alice', 1],
  ['project', 'lab/ml', 2],
  ['project', 'other/ml', 0],
  ['domain', 'lab', 2],
  ['group', 'gpu', 1],
  ['image', 'torch:2', 1],
  ['limit', 'user/alice', 0],
  ['preset', 'small', 0],
])('of %s %s so many sessions live: %i', (kind, id, count) => {
  expect(liveSessionsOf(removal(kind, id), known)).toBe(count)
})

test('what a removal is refused for is named: agents of a group, members of a project, users and projects of a domain', () => {
  expect(holdersOf(removal('group', 'gpu'), known)).toEqual([{ title: 'nav.agents', names: ['a1', 'a2'] }])
  expect(holdersOf(removal('project', 'lab/ml'), known)).toEqual([
    { title: 'project.members', names: ['bob'] },
  ])
  expect(holdersOf(removal('domain', 'lab'), known)).toEqual([
    { title: 'admin.users', names: ['bob'] },
    { title: 'admin.projects', names: ['ml'] },
  ])
  expect(holdersOf(removal('project', 'other/ml'), known)).toEqual([])
  expect(holdersOf(removal('user', 'alice'), known)).toEqual([])
})
