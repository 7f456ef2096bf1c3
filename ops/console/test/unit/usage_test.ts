import { expect, test } from 'vitest'
import { byAge, isLate, plotsOf, type Beat } from '../../src/operations/operations'
import { lastOf, legendText, showNumber } from '../../src/plot/series'
import {
  csvOf,
  hoursText,
  isCut,
  shareText,
  stepOf,
  usageLines,
  windowOf,
  type Usage,
} from '../../src/usage/usage'

const usage: Usage = {
  from: '2026-11-25T00:00:00Z',
  to: '2026-11-25T02:00:00Z',
  since: '2026-11-25T01:00:00Z',
  by: 'user',
  rows: [
    { key: 'alice', sessions: 2, slot_seconds: { cpu: '5400.25', mem: '3865470566400' }, waits: null },
    { key: 'a,"b"', sessions: 1, slot_seconds: { cpu: '0.000001' }, waits: null },
  ],
  total: { sessions: 3, slot_seconds: { mem: '3865470566400', cpu: '5400.250001' } },
  series: [
    { time: '2026-11-25T01:00:00Z', key: 'alice', slot_seconds: { cpu: '1800' } },
    { time: '2026-11-25T00:00:00Z', key: 'alice', slot_seconds: { cpu: '3600' } },
    { time: '2026-11-25T00:00:00Z', key: 'a,"b"', slot_seconds: { cpu: '360' } },
  ],
  waits: null,
  utilisation: [],
}

test('slot-seconds are told in hours, of bytes in GiB-hours, rounded once', () => {
  expect(hoursText('5400.25', 'cpu')).toBe('1.5')
  expect(hoursText('3865470566400', 'mem')).toBe('1')
  expect(hoursText('1.8', 'cpu')).toBe('0.001')
  expect(hoursText('1.7', 'cpu')).toBe('0')
  expect(hoursText(undefined, 'cpu')).toBe('0')
  expect(hoursText('3600.406103625600001', 'cpu')).toBe('1')
  expect(hoursText('32400000000000000.000001', 'cpu')).toBe('9000000000000')
})

test('a CSV has the exact amounts, and cells that would break it are quoted', () => {
  expect(csvOf(usage)).toBe(
    'user,sessions,cpu_seconds,mem_seconds\nalice,2,5400.25,3865470566400\n"a,""b""",1,0.000001,0\n',
  )
})

test('a plot has the average of each step, of those who held most', () => {
  const { times, series } = usageLines(usage, 'cpu', 3_600, 'others')
  expect(times).toEqual(['00', '01', '02'].map((hour) => Date.parse(`2026-11-25T${hour}:00:00Z`) / 1_000))
  expect(series).toEqual([
    { label: 'alice', values: [1, 0.5, 0.5] },
    { label: 'a,"b"', values: [0.1, 0, 0] },
  ])
})

test('those beyond the sixth are one line', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const held = (index: number) => ({ cpu: String(3_600 * (10 - index)) })
  const many: Usage = {
    ...usage,
    rows: keys.map((key, index) => ({ key, sessions: 1, slot_seconds: held(index), waits: null })),
    series: keys.map((key, index) => ({ time: usage.from, key, slot_seconds: held(index) })),
  }
  const { series } = usageLines(many, 'cpu', 3_600, 'others')
  expect(series.map(({ label }) => label)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'others'])
  expect(series.at(-1)?.values).toEqual([4 + 3, 0, 0])
})

test('a window ends at a full second, and long ones have days', () => {
  const { from, to } = windowOf('day', Date.parse('2026-11-25T12:00:00.750Z'))
  expect([from, to]).toEqual(['2026-11-24T12:00:00.000Z', '2026-11-25T12:00:00.000Z'])
  expect(stepOf(from, to)).toBe('1h')
  expect(stepOf('2026-11-01T00:00:00Z', '2026-11-25T00:00:00Z')).toBe('1d')
})

test('a window that begins before the accounts do is cut', () => {
  expect([isCut(usage), isCut({ ...usage, since: usage.from }), isCut({ ...usage, since: null })]).toEqual([
    true,
    false,
    false,
  ])
})

test('a share of nothing is no number', () => {
  expect([shareText('1', '3'), shareText('3', '2'), shareText('0', '0')]).toEqual(['33.3 %', '150 %', '–'])
  expect(shareText('0.4061036256', '4.0610362560001')).toBe('10 %')
})

test.each([
  [0, 'seconds', '0 s'],
  [0.00184, 'seconds', '1.84 ms'],
  [312.5, 'seconds', '5.21 min'],
  [5, 'bytes', '5 B'],
  [3 * 2 ** 30, 'bytes', '3 GiB'],
  [2_048, 'bytes-per-second', '2 KiB/s'],
  [386.2, 'per-second', '386/s'],
  [12_345, 'count', '12.3 k'],
  [0.5, 'share', '50 %'],
  [0.000112, 'count', '0.000112'],
] as const)('%s as %s is %s', (value, unit, text) => {
  expect(showNumber(value, unit)).toBe(text)
})

test('a legend tells the newest value that there is', () => {
  expect(lastOf([1, 2, null])).toBe(2)
  const lines = [
    { label: 'queue', values: [3, null] },
    { label: 'lag', values: [null] },
  ]
  expect(legendText(lines, (value) => showNumber(value, 'count'), 'none')).toEqual(['queue 3', 'lag none'])
})

test('series of one name are lines of one plot', () => {
  const line = (name: string, stage: string) => ({ name, unit: 's', labels: { stage }, values: [1] })
  const plots = plotsOf({ series: [line('stage', 'decide'), line('other', ''), line('stage', 'apply')] })
  expect(plots.map(({ name, series }) => [name, series.map(({ label }) => label)])).toEqual([
    ['stage', ['decide', 'apply']],
    ['other', ['other']],
  ])
})

test('an agent is late when it should have told that it lives; the longest silent comes first', () => {
  const beat = (name: string, age: number | null, state = 'ALIVE'): Beat => ({
    name,
    state,
    last_beat: null,
    beat_age_seconds: age,
  })
  const beats = [beat('a', 2), beat('b', 30), beat('c', 60, 'LOST'), beat('d', null)]
  expect(beats.filter(isLate).map(({ name }) => name)).toEqual(['b'])
  expect(beats.toSorted(byAge).map(({ name }) => name)).toEqual(['d', 'c', 'b', 'a'])
})
