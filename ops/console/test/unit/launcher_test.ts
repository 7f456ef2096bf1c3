import { expect, test, vi } from 'vitest'
import { appHref, appNameOf, isPort, startUrl } from '../../src/launcher/app_address'
import { AppLog, plainText } from '../../src/launcher/app_log'
import { whyOf } from '../../src/launcher/app_state'
import { offerOrder, takeOrder } from '../../src/launcher/start_order'

test.each([
  ['/session/s1/app/jupyter', { session: 's1', app: 'jupyter' }],
  ['/session/s1/app/8501/', { session: 's1', app: '8501' }],
  ['/session/a%20b/app/%', { session: 'a b', app: '%' }],
  ['/session/s1', null],
  ['/session/s1/app', null],
  ['/session/s1/app/a/b', null],
  ['/x/session/s1/app/a', null],
  ['/', null],
])('the path %s is of the app %o', (path, name) => {
  expect(appNameOf(path)).toEqual(name)
})

test('the address of an app is read as it was written', () => {
  const name = { session: 'a/b ?#', app: 'jupyter' }
  expect(appNameOf(appHref(name))).toEqual(name)
  expect(new URL(appHref(name, 'order-1'), 'http://host').hash).toBe('#order-1')
})

test('an app is started on the origin of the page, encrypted as the page is', () => {
  const name = { session: 's', app: 'jupyter' }
  expect(startUrl(name, 'https://host/session/s/app/jupyter')).toBe(
    'wss://host/v1/sessions/s/apps/jupyter/start',
  )
  expect(startUrl(name, 'http://host:7410/')).toBe('ws://host:7410/v1/sessions/s/apps/jupyter/start')
})

test.each([
  ['1', true],
  ['65535', true],
  ['65536', false],
  ['0', false],
  ['080', false],
  ['8e3', false],
  ['', false],
])('that %s is a port: %s', (text, is) => {
  expect(isPort(text)).toBe(is)
})

test.each([
  ['\x1b[32mgreen\x1b[0m', 'green'],
  ['\x1b]0;title\x07text', 'text'],
  ['\x1b]8;;http://host\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['a line\r\nanother\r\r\n', 'a line\nanother\n'],
  ['10 %\r20 %\rdone\n', 'done\n'],
  ['a\x07b\x00c\td', 'abc\td'],
  ['ends in its middle \x1b[3', 'ends in its middle '],
])('of %j people read %j', (printed, read) => {
  expect(plainText(printed)).toBe(read)
})

test('a log puts characters together, and keeps the newest', () => {
  const log = new AppLog()
  for (const byte of new TextEncoder().encode('가나')) log.push(Uint8Array.of(byte))
  expect(log.text).toBe('가나')
  for (let count = 0; count < 1_000; count++) log.push(new TextEncoder().encode(`${'x'.repeat(999)}\n`))
  log.push(new TextEncoder().encode('last'))
  expect(log.text.length).toBeLessThanOrEqual(65_536)
  expect(log.text.endsWith('x\nlast')).toBe(true)
  log.clear()
  expect(log.text).toBe('')
})

test.each([
  ['unknown-app', 'unknown-app'],
  ['session-not-running', 'session-ended'],
  ['agent-unreachable', null],
  ['too-many-streams', 'failed'],
])('the code %s means %s', (code, why) => {
  expect(whyOf({ code, message: '', hint: '' })).toBe(why)
})

test('an order is taken once, by who knows its id', async () => {
  const order = { arguments: ['--debug'], environment: { A: 'B' } }
  const id = offerOrder(order)
  expect(await takeOrder(id)).toEqual(order)
  vi.useFakeTimers()
  for (const asked of [id, crypto.randomUUID()]) {
    const taken = takeOrder(asked)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await taken).toBeNull()
  }
  vi.useRealTimers()
})
