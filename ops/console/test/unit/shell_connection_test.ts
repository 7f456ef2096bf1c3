import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ShellConnection } from '../../src/terminal/shell_connection'
import type { Refusal } from '../../src/terminal/shell_messages'
import { FakeSocket } from './fake_socket'

beforeEach(() => {
  FakeSocket.made = []
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const typed = (text: string) => new TextEncoder().encode(text)
const socket = () => FakeSocket.made.at(-1) as FakeSocket
const BEGUN = { begun: { made: true, scrollback: 0, lost: 0, restarts: 0 } }

/** What is shown is drawn at once, or by `draw`. */
function open({ slow = false, refusal = null as Refusal | null } = {}) {
  const screen = { text: '', draw: () => {} }
  const pending: (() => void)[] = []
  screen.draw = () => pending.splice(0).forEach((then) => then())
  const connection = new ShellConnection({
    url: 'ws://host/v1/sessions/s/shell?kernel=main1',
    name: 'main',
    size: () => ({ columns: 100, rows: 30 }),
    sink: {
      clear: () => (screen.text = ''),
      show(bytes, then) {
        screen.text += new TextDecoder().decode(bytes)
        if (then && slow) pending.push(then)
        else then?.()
      },
    },
    whyRefused: () => Promise.resolve(refusal),
    tooMuch: () => (screen.text = 'too much'),
  })
  connection.open(false)
  return { connection, screen }
}

function attach(options = {}) {
  const opened = open(options)
  socket().onopen?.()
  socket().tell(BEGUN)
  return opened
}

test('the first message asks for the shell in the size of the window', () => {
  const { connection } = attach()
  expect(socket().protocol).toBe('berth.session.v1')
  expect(socket().sent).toEqual([{ name: 'main', existing: false, columns: 100, rows: 30 }])
  expect(connection.state).toEqual({ kind: 'attached', back: null, lost: 0 })
})

test('what is typed and how large the window is goes to the shell', () => {
  const { connection } = attach()
  connection.type(typed('ls\r'))
  connection.resize({ columns: 120, rows: 40 })
  expect(socket().sent.slice(1)).toEqual(['ls\r', { columns: 120, rows: 40 }])
})

test('a cut is tried again, waits grow, and what was typed meanwhile is never sent', () => {
  const { connection } = attach()
  socket().cut()
  expect(connection.state.kind).toBe('cut')
  connection.type(typed('rm -rf x\r'))
  for (const wait of [600, 1_200, 2_400]) {
    const before = FakeSocket.made.length
    vi.advanceTimersByTime(wait)
    expect(FakeSocket.made.length).toBe(before + 1)
    socket().onopen?.()
    socket().cut()
  }
  vi.advanceTimersByTime(4_800)
  socket().onopen?.()
  socket().tell({ begun: { made: false, scrollback: 0, lost: 0, restarts: 0 } })
  expect(FakeSocket.made.flatMap(({ sent }) => sent)).not.toContain('rm -rf x\r')
})

test('after a cut the shell must be there still: it is not made anew behind the back', () => {
  const { connection, screen } = attach()
  socket().print('one\n')
  socket().cut()
  vi.advanceTimersByTime(600)
  socket().onopen?.()
  expect(socket().sent).toEqual([{ name: 'main', existing: true, columns: 100, rows: 30 }])
  socket().tell({ begun: { made: false, scrollback: 8, lost: 0, restarts: 0 } })
  socket().print('one\ntwo\n')
  expect(connection.state).toEqual({
    kind: 'attached',
    back: { lines: 1, lost: 0, newer: false },
    lost: 0,
  })
  expect(screen.text).toBe('one\ntwo\n')
})

test('what the screen answers to questions that were asked before is not sent', () => {
  const { connection, screen } = open({ slow: true })
  socket().onopen?.()
  socket().tell({ begun: { made: false, scrollback: 3, lost: 0, restarts: 0 } })
  socket().print('\x1b[c')
  connection.type(typed('\x1b[?1;2c'), false)
  screen.draw()
  connection.type(typed('now'))
  expect(socket().sent.slice(1)).toEqual(['now'])
})

test('what a person types while that is drawn is sent when it is, and not after a cut', () => {
  const { connection, screen } = open({ slow: true })
  const returned = { begun: { made: false, scrollback: 3, lost: 0, restarts: 0 } }
  socket().onopen?.()
  connection.type(typed('to nothing'))
  socket().tell(returned)
  socket().print('old')
  connection.type(typed('l'))
  connection.type(typed('s'))
  expect(socket().sent.slice(1)).toEqual([])
  screen.draw()
  expect(socket().sent.slice(1)).toEqual(['l', 's'])
  socket().cut()
  vi.advanceTimersByTime(600)
  socket().onopen?.()
  socket().tell(returned)
  socket().print('old')
  connection.type(typed('rm x'))
  socket().cut()
  vi.advanceTimersByTime(1_200)
  socket().onopen?.()
  socket().tell(returned)
  socket().print('old')
  screen.draw()
  expect(socket().sent.slice(1)).toEqual([])
})

test('an end is final until a person asks for a new shell', () => {
  const { connection } = attach()
  socket().tell({ ended: { exit_code: 3, signal: 0 } })
  expect(connection.state).toEqual({ kind: 'ended', exitCode: 3, signal: 0 })
  vi.advanceTimersByTime(100_000)
  expect(FakeSocket.made.length).toBe(1)
  connection.open(true)
  socket().onopen?.()
  expect(socket().sent).toMatchObject([{ existing: false }])
  socket().tell(BEGUN)
  expect(connection.state).toEqual({ kind: 'attached', back: null, lost: 0 })
})

test('a problem that does not pass closes, one that passes is tried again', () => {
  const { connection } = attach()
  socket().tell({ problem: { code: 'stopping', message: '', hint: '' } })
  expect(connection.state.kind).toBe('cut')
  vi.advanceTimersByTime(600)
  socket().onopen?.()
  socket().tell({ problem: { code: 'access-lost', message: '', hint: '' } })
  expect(connection.state).toMatchObject({ kind: 'closed', why: 'denied' })
  vi.advanceTimersByTime(100_000)
  expect(FakeSocket.made.length).toBe(2)
})

test('why a socket was refused is asked for, and told', async () => {
  const { connection } = open({ refusal: { code: 'denied', message: '', hint: '' } })
  socket().cut()
  await vi.advanceTimersByTimeAsync(1)
  expect(connection.state).toMatchObject({ kind: 'closed', why: 'denied' })
})

test('what cannot be asked for is told as such, and tried again', async () => {
  const { connection } = open()
  socket().cut()
  await vi.advanceTimersByTimeAsync(1)
  expect(connection.state).toMatchObject({ kind: 'cut', refused: true })
  await vi.advanceTimersByTimeAsync(600)
  expect(FakeSocket.made.length).toBe(2)
  socket().onopen?.()
  socket().tell(BEGUN)
  socket().cut()
  expect(connection.state).toMatchObject({ kind: 'cut', refused: false })
})

test('a socket that says nothing is given up', () => {
  const { connection } = open()
  const first = socket()
  vi.advanceTimersByTime(20_000)
  expect(connection.state.kind).toBe('cut')
  expect(first.closed).toBe(true)
  vi.advanceTimersByTime(600)
  expect(FakeSocket.made.length).toBe(2)
})

test('more than is taken at once is not sent in part', () => {
  const { connection, screen } = attach()
  connection.type(new Uint8Array(2 << 20))
  expect(socket().sent.length).toBe(1)
  expect(screen.text).toBe('too much')
})

test('a window that closes leaves the shell and tries no more', () => {
  const { connection } = attach()
  socket().cut()
  connection.close()
  vi.advanceTimersByTime(100_000)
  expect(FakeSocket.made.length).toBe(1)
})
