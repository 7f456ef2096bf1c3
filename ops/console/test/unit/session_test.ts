import { expect, test } from 'vitest'
import type { Session, Status } from '../../src/api/schema.gen'
import { reasonMore, reasonText } from '../../src/session/reason_words'
import { en } from '../../src/text/en'
import { fill, type Translate } from '../../src/text/text'
import { logWords } from '../../src/session/log_words'
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

const t: Translate = (key, values) => fill(en[key], values)
const told = (changes: object) =>
  session('a', { reason: null, result: null, exit_code: null, message: '', queue_position: null, ...changes })

test.each([
  ['its end was seen', { status: 'TERMINATED', result: 'SUCCESS', exit_code: 0 }, 'SUCCESS'],
  [
    'it failed',
    { status: 'TERMINATED', result: 'FAILED', exit_code: 3, reason: { code: 'kernel-ended', slot: null } },
    'FAILED exit code 3',
  ],
  [
    'it failed and says why',
    { status: 'TERMINATED', result: 'FAILED', exit_code: 1, message: 'out of memory' },
    'out of memory (exit code 1)',
  ],
  [
    'nobody saw its end',
    { status: 'TERMINATED', result: 'FAILED', reason: { code: 'kernel-ended', slot: null } },
    'ended, exit code unknown',
  ],
  [
    'nobody saw its end, and it says so',
    { status: 'TERMINATED', reason: { code: 'kernel-ended', slot: null }, message: 'agent a1 was fenced' },
    'agent a1 was fenced',
  ],
  [
    'it was ended on request',
    { status: 'TERMINATED', reason: { code: 'user-requested', slot: null } },
    'ended on request',
  ],
  [
    'it waits',
    {
      status: 'PENDING',
      queue_position: 2,
      reason: { code: 'no-device', slot: 'cuda.shares' },
      message: 'x',
    },
    '#2 no device has enough free (fGPU)',
  ],
])('what is said of a session: %s', (_, changes, text) => {
  expect(reasonText(told(changes), t)).toBe(text)
})

test('what stands at a pointer says nothing twice', () => {
  const waiting = { status: 'PENDING', queue_position: 2, reason: { code: 'no-device', slot: null } }
  expect(reasonMore(told(waiting), t)).toBe('#2 no device has enough free')
  expect(reasonMore(told({ ...waiting, message: 'tried at 3' }), t)).toBe(
    '#2 no device has enough free\ntried at 3',
  )
})

const NEVER = { started_at: null, ended_at: null }
const TIME = '2026-01-01T00:00:00Z'

test.each([
  ['CANCELLED', undefined, false, 'log.ended', 'log.never-started'],
  ['ERROR', { started_at: null, ended_at: TIME }, true, 'log.ended', 'log.never-started'],
  ['PENDING', NEVER, false, 'log.not-started', 'log.nothing-yet'],
  ['RUNNING', { started_at: TIME, ended_at: null }, false, 'log.following', 'log.nothing-yet'],
  ['TERMINATED', { started_at: TIME, ended_at: TIME }, true, 'log.ended', 'log.wrote-nothing'],
])('of a log of a session that is %s with the kernel %o', (status, kernel, ended, state, nothing) => {
  expect(logWords({ status: status as Status }, kernel, ended)).toEqual({ state, nothing })
})
