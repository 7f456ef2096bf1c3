import { expect, test } from 'vitest'
import { commandText, parseCommand, shellWord } from '../../src/launch/command_line'
import { warningOf } from '../../src/launch/amount_warning'
import { copyAs } from '../../src/launch/copy_as'
import { amountsFor, firstMemory, memoryOf } from '../../src/launch/image_memory'
import { launchRequest, type LaunchForm } from '../../src/launch/launch_form'
import { totalsOf } from '../../src/launch/group_totals'
import { viewAfter } from '../../src/launch/view_after'
import type { Agent, DryRun, Group, Image, Resource, Status } from '../../src/api/schema.gen'

const FORM: LaunchForm = {
  name: '',
  type: 'interactive',
  image: 'python:3.11',
  group: 'default',
  project: 'ml',
  domain: 'lab',
  amounts: { cpu: '0.5', mem: '256m', 'cuda.shares': '' },
  count: 1,
  mounts: [],
  command: '',
  script: '',
  env: [],
  startTime: '',
  after: '',
}

test('the request has what was written, in exact amounts, and nothing else', () => {
  expect(launchRequest(FORM)).toEqual({
    request: {
      type: 'interactive',
      image: 'python:3.11',
      group: 'default',
      project: 'ml',
      domain: 'lab',
      resources: { cpu: '0.5', mem: '268435456' },
    },
    errors: [],
  })
})

test('a count, a name, a command and variables are in it where they are given', () => {
  const { request } = launchRequest({
    ...FORM,
    name: ' demo ',
    count: 3,
    command: `python3 -c 'print("a b")'`,
    env: [
      { name: 'A', value: '1' },
      { name: '', value: '' },
    ],
  })
  expect(request).toMatchObject({
    name: 'demo',
    count: 3,
    command: ['python3', '-c', 'print("a b")'],
    env: { A: '1' },
  })
})

test('a batch script is run by sh, and only a batch session waits for a time or for others', () => {
  const batch = {
    ...FORM,
    type: 'batch' as const,
    script: 'echo 1\necho 2',
    startTime: '2026-01-01T00:00:00Z',
    after: 'prepare, load',
  }
  expect(launchRequest(batch).request).toMatchObject({
    command: ['sh', '-c', 'echo 1\necho 2'],
    start_time: '2026-01-01T00:00:00.000Z',
    depends_on: ['prepare', 'load'],
  })
  expect(launchRequest({ ...batch, type: 'interactive' }).request).not.toHaveProperty('start_time')
})

test('each fault is told at its field', () => {
  const { errors } = launchRequest({
    ...FORM,
    amounts: { cpu: 'many' },
    command: 'echo "',
    env: [{ name: '1A', value: '' }],
  })
  expect(errors.map(({ place }) => place)).toEqual(['resources.cpu', 'command', 'env'])
})

test.each([
  ['a b', ['a', 'b']],
  [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
  [`a"b"c`, ['abc']],
  [`''`, ['']],
  [String.raw`a\ b`, ['a b']],
  ['', []],
])('a shell reads %s as these words', (line, words) => {
  expect(parseCommand(line)).toEqual(words)
})

test('what is written for a shell is read as it was', () => {
  const words = ['plain', 'with blank', "it's", '"', '', '$HOME', 'a\\b']
  expect(parseCommand(commandText(words))).toEqual(words)
  expect(shellWord('')).toBe(`''`)
})

const { request: REQUEST } = launchRequest({
  ...FORM,
  name: 'demo',
  count: 2,
  amounts: { cpu: '1', mem: '1g', 'cuda.shares': '0.5' },
  command: "sh -c 'echo hi'",
  env: [{ name: 'A', value: 'b c' }],
})

test('the same request as a command line', () => {
  expect(copyAs('cli', REQUEST, '').replaceAll(' \\\n ', '')).toBe(
    "berth session run --name demo --image python:3.11 --group default --domain lab --project ml --cpu 1 --mem 1g --resource cuda.shares=0.5 --count 2 --env 'A=b c' -- sh -c 'echo hi'",
  )
})

test('disk has an option of its own', () => {
  const { request } = launchRequest({ ...FORM, amounts: { cpu: '1', mem: '1g', disk: '20g' } })
  expect(copyAs('cli', request, '')).toContain('--mem 1g \\\n  --disk 20g')
})

test('the same request as YAML', () => {
  expect(copyAs('yaml', REQUEST, '').split('\n')).toEqual([
    'name: "demo"',
    'type: "interactive"',
    'image: "python:3.11"',
    'group: "default"',
    'project: "ml"',
    'domain: "lab"',
    'count: 2',
    'resources:',
    '  cpu: "1"',
    '  mem: "1073741824"',
    '  cuda.shares: "0.5"',
    'command:',
    '  - "sh"',
    '  - "-c"',
    '  - "echo hi"',
    'env:',
    '  A: "b c"',
  ])
})

test('the same request as curl carries the very body', () => {
  expect(copyAs('curl', REQUEST, 'https://berth.example')).toContain(
    `body=${shellWord(JSON.stringify(REQUEST))}`,
  )
})

test('the same request as Python', () => {
  expect(copyAs('python', REQUEST, '')).toContain('"command": ["sh", "-c", "echo hi"],')
})

test('sliders reach the whole of the group, and know the largest agent and what is free', () => {
  const bars = (slot: string, capacity: string, remaining: string) => ({
    slot,
    kind: 'count',
    upper: { used: '0', total: '0' },
    lower: { used: '0', total: '0' },
    reserved: '0',
    running: '0',
    remaining,
    capacity,
  })
  const resource = {
    group: 'g',
    user: 'u',
    position: 1,
    slots: [bars('cuda.shares', '2', '0.5'), bars('cpu', '24', '20')],
  } as Resource
  const agent = (capacity: string) =>
    ({
      group: 'g',
      schedulable: true,
      fit: true,
      unfit: null,
      slots: { cpu: { capacity, taken: '0', free: capacity } },
    }) as unknown as Agent
  const group = {
    name: 'g',
    devices: { 'cuda.shares': { spread: 'even', quantum: '0.25', allow_fragments: true } },
  } as unknown as Group
  const [cpu, shares] = totalsOf(resource, [agent('8'), agent('16')], group)
  expect(cpu).toEqual({
    slot: 'cpu',
    total: 24_000_000n,
    free: 20_000_000n,
    largest: 16_000_000n,
    step: 500_000n,
  })
  expect(shares).toMatchObject({ total: 2_000_000n, free: 500_000n, step: 250_000n })
})

test.each([0, 101, 1_000])('%i sessions are told at their field, not made another number', (count) => {
  const { errors, request } = launchRequest({ ...FORM, count })
  expect(errors).toEqual([{ place: 'count', key: 'launch.bad-count' }])
  expect(request).not.toHaveProperty('count')
})

test('a batch session without a command is told at its field', () => {
  expect(launchRequest({ ...FORM, type: 'batch' }).errors).toEqual([
    { place: 'command', key: 'launch.batch-command' },
  ])
  expect(launchRequest({ ...FORM, type: 'batch', command: 'true' }).errors).toEqual([])
})

test.each([
  ['mem', 100n, 'launch.few-bytes'],
  ['mem', 4_194_303n, 'launch.few-bytes'],
  ['mem', 4_194_304n, null],
  ['mem', 0n, null],
  ['cpu', 1n, null],
  ['cpu', 3n, 'launch.beyond-free'],
  ['cpu', 5n, 'launch.beyond-agent'],
])('of %s %i it warns: %s', (slot, whole, warning) => {
  const most = slot === 'cpu' ? 4_000_000n : 1n << 60n
  const totals = { slot, total: most, free: most / 2n, largest: most, step: 1n }
  expect(warningOf(whole * 1_000_000n, 1n, totals)).toBe(warning)
})

test.each([
  ['PENDING', false, ''],
  ['PENDING', true, 'log'],
  ['RUNNING', false, 'log'],
])('a new session that is %s and by the forecast starts now: %s, is opened at %o', (status, starts, view) => {
  const forecast = { sessions: [{ starts_now: starts }] } as DryRun
  expect(viewAfter({ status: status as Status }, forecast)).toBe(view)
  expect(viewAfter({ status: status as Status }, undefined)).toBe('log')
})

const imageOf = (said: Partial<Image>) => ({ labels: {}, ...said }) as Image
const GIB = 2n ** 30n * 1_000_000n

test.each([
  [{}, '1g'],
  [{ memory_min: '536870912', memory_recommended: '536870912' }, '1g'],
  [{ memory_min: '536870912', memory_recommended: '2147483648' }, '2g'],
  [{ memory_min: '3221225472' }, '3136m'], // with what is shared
])('with an image that says %o, %s of memory are asked for at first', (memory, first) => {
  expect(firstMemory(imageOf(memory))).toBe(first)
})

test('memory that nobody has chosen follows the image, a chosen amount stays', () => {
  const large = imageOf({ memory_recommended: '4294967296' })
  const small = imageOf({})
  expect(amountsFor({ cpu: '2', mem: '1g' }, small, large)).toEqual({ cpu: '2', mem: '4g' })
  expect(amountsFor({ cpu: '2', mem: '4g' }, large, small)).toEqual({ cpu: '2', mem: '1g' })
  expect(amountsFor({ cpu: '2', mem: '512m' }, small, large)).toEqual({ cpu: '2', mem: '512m' })
})

test('shared memory is asked for on top of what an image needs, as the server reckons', () => {
  const MIB = 2n ** 20n * 1_000_000n
  const plain = imageOf({ memory_min: '536870912' })
  const own = imageOf({ memory_min: '536870912', labels: { 'berth.shm': '128m' } })
  expect(memoryOf(plain).least).toBe(576n * MIB)
  expect(memoryOf(plain, '268435456').least).toBe(768n * MIB)
  expect(memoryOf(own, '268435456').least).toBe(640n * MIB)
  expect(memoryOf(imageOf({})).least).toBe(0n)
})

test('less than an image needs is warned of', () => {
  const { least } = memoryOf(imageOf({ memory_min: String(2n ** 31n - 2n ** 26n) }))
  const totals = { slot: 'mem', total: 8n * GIB, free: 8n * GIB, largest: 8n * GIB, step: GIB }
  expect(warningOf(GIB, 1n, totals, least)).toBe('launch.below-image')
  expect(warningOf(2n * GIB, 1n, totals, least)).toBeNull()
  expect(warningOf(GIB, 1n, totals)).toBeNull()
})
