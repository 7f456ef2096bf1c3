import { expect, test } from 'vitest'
import type { Session, Status } from '../../src/api/schema.gen'
import { phasesOf } from '../../src/session/phases'
import { countStatuses, gather, matches, sortRows, unfold } from '../../src/session/session_rows'

function session(name: string, changes: Partial<Session> = {}): Session {
  const owner = { domain: 'd', project: 'p', user: 'alice' }
  const times = { created_at: '2026-01-01T00:00:00Z', scheduled_at: null, running_at: null, ended_at: null }
  return {
    id: `id-${name}`,
    name,
    status: 'RUNNING' as Status,
    image: 'python:3.11',
    group: 'default',
    owner,
    agents: ['a1'],
    request_id: name,
    kernels: [],
    resources: {},
    ...times,
    ...changes,
  } as Session
}

const all = { text: '', status: '', group: '' }

test.each([
  [{ ...all, text: 'PYTH' }, true],
  [{ ...all, text: 'alice' }, true],
  [{ ...all, text: 'a1' }, true],
  [{ ...all, text: 'nothing' }, false],
  [{ ...all, status: 'PENDING' }, false],
  [{ ...all, group: 'default' }, true],
  [{ ...all, group: 'other' }, false],
])('the filter %o', (filter, shown) => {
  expect(matches(session('demo'), filter)).toBe(shown)
})

test('sessions of one launch are one row, which opens', () => {
  const sessions = [
    session('demo-2', { request_id: 'r' }),
    session('other'),
    session('demo-1', { request_id: 'r', status: 'PENDING' }),
  ]
  const rows = gather(sessions)
  expect(rows.map(({ key }) => key)).toEqual(['launch:r', 'id-other'])
  expect(rows[0]).toMatchObject({ kind: 'several', name: 'demo', open: false })
  expect(unfold(rows, new Set(['launch:r'])).map(({ key }) => key)).toEqual([
    'launch:r',
    'id-demo-2',
    'id-demo-1',
    'id-other',
  ])
})

test('rows are sorted by a column, both ways', () => {
  const rows = () => gather([session('b'), session('a'), session('c')])
  expect(sortRows(rows(), { key: 'name', down: false }).map(({ key }) => key)).toEqual([
    'id-a',
    'id-b',
    'id-c',
  ])
  expect(sortRows(rows(), { key: 'name', down: true }).map(({ key }) => key)).toEqual([
    'id-c',
    'id-b',
    'id-a',
  ])
})

test('statuses are counted, the most frequent first', () => {
  expect(countStatuses([session('a', { status: 'PENDING' }), session('b'), session('c')])).toEqual([
    ['RUNNING', 2],
    ['PENDING', 1],
  ])
})

test('each phase goes on until the next begins, the last until the end', () => {
  const whole = session('a', {
    status: 'TERMINATED',
    scheduled_at: '2026-01-01T00:01:00Z',
    running_at: '2026-01-01T00:02:00Z',
    ended_at: '2026-01-01T00:05:00Z',
  })
  const at = (minute: number) => Date.parse('2026-01-01T00:00:00Z') + minute * 60_000
  expect(phasesOf(whole)).toEqual([
    { name: 'waiting', from: at(0), to: at(1) },
    { name: 'starting', from: at(1), to: at(2) },
    { name: 'running', from: at(2), to: at(5) },
  ])
  expect(phasesOf(session('b', { status: 'PENDING' }))).toEqual([{ name: 'waiting', from: at(0), to: null }])
})
