import { expect, test } from 'vitest'
import { OutputQueue, lineBegin } from '../../src/terminal/output_queue'
import {
  bytesOfBinary,
  openText,
  readMessage,
  sizeText,
  typedPieces,
  type Begun,
} from '../../src/terminal/shell_messages'
import { ShellPlace } from '../../src/terminal/shell_place'
import { waitBefore, whyOf } from '../../src/terminal/shell_state'
import { shellNameOf, socketUrl, terminalHash } from '../../src/terminal/terminal_address'
import { parsePlace } from '../../src/app/router'

const bytes = (text: string) => new TextEncoder().encode(text)
const problem = (code: string) => ({ code, message: '', hint: '' })

test.each([
  [
    '{"begun":{"made":true,"scrollback":7,"lost":2,"restarts":1}}',
    { kind: 'begun', begun: { made: true, scrollback: 7, lost: 2, restarts: 1 } },
  ],
  ['{"begun":{}}', { kind: 'begun', begun: { made: false, scrollback: 0, lost: 0, restarts: 0 } }],
  ['{"lost":12}', { kind: 'lost', bytes: 12 }],
  ['{"ended":{"exit_code":130,"signal":2}}', { kind: 'ended', exitCode: 130, signal: 2 }],
  [
    '{"problem":{"code":"stopping","message":"m","hint":"h"}}',
    { kind: 'problem', problem: { code: 'stopping', message: 'm', hint: 'h' } },
  ],
  ['{"problem":null}', { kind: 'problem', problem: problem('') }],
  ['{"later":1}', null],
  ['no JSON', null],
  ['null', null],
  ['[1]', null],
])('of a server that says %s is understood: %o', (text, message) => {
  expect(readMessage(text)).toEqual(message)
})

test('output is what stands behind the byte that names its stream', () => {
  const output = readMessage(Uint8Array.of(1, 104, 105).buffer)
  expect(output).toEqual({ kind: 'output', bytes: Uint8Array.of(104, 105) })
  expect(readMessage(new ArrayBuffer(0))).toBeNull()
  expect(readMessage(Uint8Array.of(9, 1).buffer)).toBeNull()
})

test('a terminal has 1 to 1000 columns and rows, whatever a window is', () => {
  expect(JSON.parse(sizeText({ columns: 0, rows: 4_000 }))).toEqual({ columns: 1, rows: 1_000 })
  expect(JSON.parse(openText('main', true, { columns: 80.5, rows: 24 }))).toEqual({
    name: 'main',
    existing: true,
    columns: 80,
    rows: 24,
  })
})

test('what is typed is cut into messages that the server takes, and nothing of it is lost', () => {
  const pieces = typedPieces(bytes('가'.repeat(50_000)))
  expect(pieces.map((piece) => piece.length)).toEqual([65_536, 65_536, 18_928])
  expect(typedPieces(bytes(''))).toEqual([])
  expect(bytesOfBinary('\x1b\xff')).toEqual(Uint8Array.of(27, 255))
})

const begun = (changes: Partial<Begun> = {}): Begun => ({
  made: false,
  scrollback: 0,
  lost: 0,
  restarts: 0,
  ...changes,
})

test('a first attachment is no return, and has caught up with the last byte that was kept', () => {
  const place = new ShellPlace()
  expect(place.begin(begun({ scrollback: 6 }))).toBe(false)
  place.output(bytes('abc'))
  expect(place.caughtUp).toBe(false)
  place.output(bytes('de\n'))
  expect(place.caughtUp).toBe(true)
})

test('a return counts the lines that were printed meanwhile, wherever messages are cut', () => {
  const place = new ShellPlace()
  place.begin(begun({ made: true }))
  place.output(bytes('one\ntwo\n'))
  expect(place.begin(begun({ scrollback: 20 }))).toBe(true)
  for (const piece of ['one\nt', 'wo\nthr', 'ee\nfo', 'ur\n1']) place.output(bytes(piece))
  place.output(bytes('23\n45\n'))
  expect(place.back).toEqual({ lines: 2, lost: 0, newer: false })
})

test('a return tells what the shell has printed and keeps no more', () => {
  const place = new ShellPlace()
  place.begin(begun({ made: true }))
  place.output(bytes('12345'))
  place.begin(begun({ lost: 105, scrollback: 10 }))
  place.lost(4)
  place.output(bytes('a\nb\nc\n'))
  expect(place.caughtUp).toBe(true)
  expect(place.back).toEqual({ lines: 3, lost: 104, newer: false })
  place.lost(50)
  expect(place.back.lost).toBe(104)
})

test.each([
  ['it was made anew', { made: true }],
  ['it has printed less', { scrollback: 3 }],
])('another shell of the name is told as such: %s', (_, changes) => {
  const place = new ShellPlace()
  place.begin(begun({ made: true }))
  place.output(bytes('12345'))
  place.begin(begun(changes))
  place.output(bytes('\n\n\n'))
  expect(place.back).toEqual({ lines: 0, lost: 0, newer: true })
})

test.each([
  ['stopping', null],
  ['not-ready', null],
  ['agent-unreachable', null],
  ['agent-busy', null],
  ['helper-silent', null],
  ['channel-closed', null],
  ['session-ended', 'session-ended'],
  ['access-lost', 'denied'],
  ['unknown-session', 'not-found'],
  ['signed-out', 'signed-out'],
  ['no-such-shell', 'gone'],
  ['something-new', 'failed'],
])('a shell that is refused by %s: %s', (code, why) => {
  expect(whyOf(problem(code))).toBe(why)
})

test('waits grow to a quarter of a minute, and differ from window to window', () => {
  expect([0, 1, 2].map((attempt) => waitBefore(attempt, 0.5))).toEqual([500, 1_000, 2_000])
  expect(waitBefore(30, 1)).toBeCloseTo(18_000)
  expect(waitBefore(30, 0)).toBe(12_000)
})

/** A screen that is done when it is told so. */
function slowScreen() {
  const written: Uint8Array[] = []
  const dones: (() => void)[] = []
  let lost = 0
  const queue = new OutputQueue(
    (piece, done) => {
      written.push(piece)
      dones.push(done)
    },
    (count) => (lost += count),
  )
  const draw = () => {
    while (dones.length > 0) dones.shift()?.()
  }
  return { queue, written, draw, lost: () => lost }
}

const KIB = 1_024

test('a screen is given no more than a bounded amount at once', () => {
  const { queue, written, draw } = slowScreen()
  for (let count = 0; count < 64; count++) queue.push(new Uint8Array(16 * KIB))
  expect(written.length).toBe(16)
  draw()
  expect(written.length).toBe(64)
})

test('of what is too much the newest is kept, from a line on, and the rest is told as lost', () => {
  const { queue, written, draw, lost } = slowScreen()
  const called: string[] = []
  const line = bytes(`${'x'.repeat(1_022)}\r\n`)
  queue.push(line, () => called.push('first'))
  let pushed = line.length
  for (let count = 0; count < 40_000; count++) {
    queue.push(line.slice())
    pushed += line.length
  }
  queue.push(bytes('$ '), () => called.push('prompt'))
  draw()
  const total = written.filter(([byte]) => byte !== 0x18).reduce((sum, piece) => sum + piece.length, 0)
  expect(lost()).toBeGreaterThan(30_000 * KIB)
  expect(total + lost()).toBe(pushed + 2)
  expect(written.filter(([byte]) => byte === 0x18).length).toBe(1)
  expect(new TextDecoder().decode(written.at(-1))).toBe('$ ')
  expect(called).toEqual(['first', 'prompt'])
})

test.each([
  ['x\nabc', 2],
  ['abc', 0],
])('a line begins in %j at %d', (text, begin) => {
  expect(lineBegin(bytes(text))).toBe(begin)
})

test('where no line begins, a character does', () => {
  expect(lineBegin(bytes('가나').subarray(1))).toBe(2)
  expect(lineBegin(Uint8Array.of(0x80))).toBe(0)
})

test.each([
  ['#/terminal/abc', { session: 'abc', name: 'main', kernel: 'main1' }],
  ['#/terminal/abc/build', { session: 'abc', name: 'build', kernel: 'main1' }],
  ['#/terminal/abc/build?kernel=sub2', { session: 'abc', name: 'build', kernel: 'sub2' }],
])('the address %s names a shell, and a shell has that address', (hash, shell) => {
  const { path, query } = parsePlace(hash)
  expect(shellNameOf(path, query)).toEqual(shell)
  expect(terminalHash(shell)).toBe(hash)
})

test('a WebSocket is of the origin and as secure as the page', () => {
  const shell = { session: 'a b', name: 'main', kernel: 'main1' }
  expect(socketUrl(shell, 'https://berth.example/#/terminal/x')).toBe(
    'wss://berth.example/v1/sessions/a%20b/shell?kernel=main1',
  )
  expect(socketUrl(shell, 'http://127.0.0.1:7410/')).toBe(
    'ws://127.0.0.1:7410/v1/sessions/a%20b/shell?kernel=main1',
  )
})
