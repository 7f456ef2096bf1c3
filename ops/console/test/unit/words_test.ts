import { expect, test } from 'vitest'
import { waitBeforeTry, withQuery } from '../../src/api/client'
import { reachOf, type Me } from '../../src/api/identity'
import { Problem, asSentence, messageAt, pageHint } from '../../src/api/problem'
import { clientName } from '../../src/account/client_name'
import { colourOf } from '../../src/agent/tiles'
import { hashOf, parsePlace } from '../../src/app/router'
import { sentenceOf } from '../../src/event/event_text'
import { groupOf } from '../../src/shell/current_group'
import { fill } from '../../src/text/text'
import { durationText, relativeText } from '../../src/ui/time'

test('durations are as wide at each second', () => {
  expect([5, 65, 3_605, 90_061].map(durationText)).toEqual(['00:05', '01:05', '01:00:05', '1d 01:01:01'])
})

test('relative times look back and ahead', () => {
  expect(relativeText(-5, 'en')).toBe('5 sec. ago')
  expect(relativeText(7_300, 'en')).toBe('in 2 hr.')
})

test('a place is read as it was written, names with slashes too', () => {
  const place = parsePlace(hashOf(['link', 'a/b'], { q: 'x y', none: '' }))
  expect(place.path).toEqual(['link', 'a/b'])
  expect(Object.fromEntries(place.query)).toEqual({ q: 'x y' })
})

test('a place with a stray % is read as it stands', () => {
  expect(parsePlace('#/%/a%20b').path).toEqual(['%', 'a b'])
})

test('a problem is told at its field, and at no other', () => {
  const problem = new Problem(400, 'invalid-amount', '', '', [
    { place: 'resources.cuda.shares', message: 'no multiple' },
  ])
  expect(messageAt(problem, 'resources.cuda.shares')).toBe('no multiple')
  expect(messageAt(problem, 'resources.cpu')).toBeUndefined()
})

test.each([
  ['write it after --', ''],
  ['berth session ls --all lists them', ''],
  ['see `berth limit ls`', ''],
  ['end them first', 'end them first'],
  ['Berth knows python:3.11', 'Berth knows python:3.11'],
  ['a well-known name', 'a well-known name'],
])('of the hint %s a page shows: %s', (hint, shown) => {
  expect(pageHint(hint)).toBe(shown)
})

test.each([
  ['user or password is wrong', 'User or password is wrong'],
  ['cuda.shares 0.25 is no multiple of 0.1', 'cuda.shares 0.25 is no multiple of 0.1'],
  ['cpu 100 is too much', 'cpu 100 is too much'],
  ['a1 is alive', 'a1 is alive'],
  ['', ''],
])('%s is displayed as %s', (text, shown) => {
  expect(asSentence(text)).toBe(shown)
})

test('rights are found however their words are written', () => {
  const me = { rights: { 'SessionLog.See': 'project' } } as unknown as Me
  expect(reachOf(me, 'session-log', 'see')).toBe('project')
  expect(reachOf(me, 'session', 'see')).toBe('none')
})

test('a wait is what the server asks for, else twice as long each time, and bounded', () => {
  expect(waitBeforeTry(1, '2')).toBe(2_000)
  expect([1, 2, 3].map((attempt) => waitBeforeTry(attempt, null))).toEqual([500, 1_000, 2_000])
  expect(waitBeforeTry(1, '3600')).toBe(5_000)
})

test('an address leaves out what is not given', () => {
  expect(withQuery('/v1/sessions', { state: 'live', group: '', limit: 0, token: null })).toBe(
    '/v1/sessions?state=live&limit=0',
  )
})

test('texts are filled in', () => {
  expect(fill('{n} of {all}', { n: 1, all: 0 })).toBe('1 of 0')
})

test('a user has one colour, of the palette', () => {
  expect(colourOf('alice')).toBe(colourOf('alice'))
  expect(['alice', 'bob', '김', ''].every((name) => colourOf(name) >= 0 && colourOf(name) < 8)).toBe(true)
})

test('a browser is named by what it calls itself', () => {
  expect(clientName('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36')).toBe(
    'Chrome, Linux',
  )
  expect(clientName('curl/8')).toBe('curl/8')
})

test('an event says its type once', () => {
  expect(sentenceOf({ type: 'KernelRunning', text: 'KernelRunning demo/main1: pid 7' })).toBe(
    'demo/main1: pid 7',
  )
  expect(sentenceOf({ type: 'Kernel', text: 'KernelRunning demo/main1' })).toBe('KernelRunning demo/main1')
})

test.each([
  [['default', 'gpu'], 'gpu', 'gpu'],
  [['default', 'gpu'], 'gone', 'default'],
  [['gpu', 'web'], '', 'gpu'],
  [[], 'gpu', ''],
])('of the groups %o, wanted %s: %s', (groups, wanted, group) => {
  expect(groupOf(groups, wanted)).toBe(group)
})
