import { expect, test, vi } from 'vitest'
import { call } from '../../src/api/client'
import { tellOfInput } from '../../src/app/input'

async function headersOf(ask: () => Promise<unknown>): Promise<Headers> {
  const fetcher = vi.fn((..._: Parameters<typeof fetch>) => Promise.resolve(Response.json({})))
  vi.stubGlobal('fetch', fetcher)
  await ask()
  vi.unstubAllGlobals()
  return new Headers(fetcher.mock.calls[0]?.[1]?.headers)
}

test('what the console reads by itself is no use of the browser session', async () => {
  const mark = async (ask: () => Promise<unknown>) => (await headersOf(ask)).get('X-Berth-Background')
  expect(await mark(() => call('GET', '/v1/sessions/s1/why'))).toBe('1')
  expect(await mark(() => call('GET', '/v1/whoami', { byHand: true }))).toBeNull()
  expect(await mark(() => call('POST', '/v1/sessions', { body: {} }))).toBeNull()
})

test('a person’s input is told, but at most every five minutes', () => {
  vi.useFakeTimers()
  const page = new EventTarget()
  const tell = vi.fn()
  tellOfInput(tell, page)
  const after = (minutes: number, input: string) => {
    vi.advanceTimersByTime(minutes * 60_000)
    page.dispatchEvent(new Event(input))
    return tell.mock.calls.length
  }
  expect([
    after(4, 'keydown'),
    after(2, 'mousemove'),
    after(0, 'keydown'),
    after(4, 'pointerdown'),
    after(1, 'pointerdown'),
  ]).toEqual([0, 0, 1, 1, 2])
  vi.useRealTimers()
})
