import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppConnection } from '../../src/launcher/app_connection'
import type { Refusal } from '../../src/terminal/shell_messages'
import { FakeSocket } from './fake_socket'

const ORDER = { arguments: ['--debug'], environment: { A: 'B' } }
const BEGUN = { begun: { made: true, scrollback: 0, lost: 0, restarts: 0 } }

beforeEach(() => {
  FakeSocket.made = []
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const socket = () => FakeSocket.made.at(-1) as FakeSocket

function begin(refusal: Refusal | null = null) {
  const connection = new AppConnection({
    url: 'ws://host/v1/sessions/s/apps/jupyter/start',
    order: ORDER,
    whyRefused: () => Promise.resolve(refusal),
  })
  connection.open()
  return connection
}

function starting() {
  const connection = begin()
  socket().onopen?.()
  socket().tell(BEGUN)
  return connection
}

test('the first message says what the app is started with', () => {
  starting()
  expect(socket().sent).toEqual([ORDER])
})

test('an app is ready when the server says so', () => {
  const connection = starting()
  expect(connection.state.kind).toBe('starting')
  socket().tell({ app: { state: 'ready' } })
  expect(connection.state.kind).toBe('ready')
})

test('an app that ended says how, whatever comes behind', () => {
  const connection = starting()
  socket().tell({ app: { state: 'ended', exit_code: 3, signal: 0, restarts: 0 } })
  socket().tell({ ended: { exit_code: 3, signal: 0 } })
  expect(connection.state).toEqual({ kind: 'ended', exitCode: 3, signal: 0 })
  expect(socket().closed).toBe(true)
})

test('a close behind the end is no cut', () => {
  const connection = starting()
  socket().tell({ app: { state: 'ended', exit_code: 3, signal: 0 } })
  socket().cut()
  expect(connection.state.kind).toBe('ended')
  vi.runAllTimers()
  expect(FakeSocket.made.length).toBe(1)
})

test('what is printed is told as text, not with each byte of it', () => {
  const connection = starting()
  const told = vi.fn()
  connection.subscribe(told)
  for (let count = 0; count < 1_000; count++) socket().print(`line ${count}\n`)
  vi.advanceTimersByTime(100)
  expect(connection.log.endsWith('line 998\nline 999\n')).toBe(true)
  expect(told.mock.calls.length).toBeLessThan(5)
})

test('after a cut it is tried again, and the log is the one that comes then', () => {
  const connection = starting()
  socket().print('before\n')
  socket().cut()
  expect(connection.state.kind).toBe('cut')
  vi.advanceTimersByTime(1_000)
  socket().onopen?.()
  expect(socket().sent).toEqual([ORDER])
  socket().tell(BEGUN)
  socket().print('whole\n')
  vi.advanceTimersByTime(100)
  expect(connection.state.kind).toBe('starting')
  expect(connection.log).toBe('whole\n')
})

test('a server that says nothing is given up, and asked again', () => {
  const connection = begin()
  vi.advanceTimersByTime(20_000)
  expect(connection.state.kind).toBe('cut')
  vi.advanceTimersByTime(1_000)
  expect(FakeSocket.made.length).toBe(2)
})

test('what passes by itself is a cut, what does not is told', () => {
  const connection = starting()
  socket().tell({ problem: { code: 'agent-unreachable', message: 'm', hint: 'h' } })
  expect(connection.state.kind).toBe('cut')
  vi.advanceTimersByTime(1_000)
  socket().onopen?.()
  socket().tell({ problem: { code: 'session-ended', message: 'm', hint: 'h' } })
  expect(connection.state).toMatchObject({ kind: 'closed', why: 'session-ended' })
})

test('a refusal before the WebSocket is asked for by other means', async () => {
  const connection = begin({ code: 'denied', message: 'no', hint: '' })
  socket().cut()
  await vi.advanceTimersByTimeAsync(0)
  expect(connection.state).toMatchObject({ kind: 'closed', why: 'denied' })
  vi.runAllTimers()
  expect(FakeSocket.made.length).toBe(1)
})

test('who leaves the page hears of it no more', () => {
  const connection = starting()
  connection.close()
  expect(socket().closed).toBe(true)
  vi.runAllTimers()
  expect(FakeSocket.made.length).toBe(1)
})
