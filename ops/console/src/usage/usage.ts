import { bySlotOrder, kindOf } from '../amount/amount'
import type { Series } from '../plot/series'

export type SlotSeconds = Record<string, string>
export type UsageRow = { key: string; slot_seconds: SlotSeconds; sessions: number; waits: Waits | null }
export type UsagePiece = { time: string; key: string; slot_seconds: SlotSeconds }
export type Waits = { count: number; p50_ms: number; p95_ms: number }
export type Utilisation = {
  slot: string
  capacity_seconds: string
  asked_seconds: string
  given_seconds: string
}
export type Usage = {
  from: string
  to: string
  /** From when on there are accounts; null: there are none yet. */
  since: string | null
  by: string
  rows: UsageRow[]
  total: { slot_seconds: SlotSeconds; sessions: number }
  series: UsagePiece[]
  waits: Waits | null
  utilisation: Utilisation[]
}

export const BYS = ['user', 'project', 'domain', 'group', 'device', 'agent'] as const
export type By = (typeof BYS)[number]

const HOUR = 3_600_000
export const WINDOWS = { day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR } as const
export type WindowName = keyof typeof WINDOWS

const HOURLY_UP_TO = 3 * 24 * HOUR

/** A window of so long that ends now, to the second. */
export function windowOf(name: WindowName, now: number): { from: string; to: string } {
  const to = Math.floor(now / 1_000) * 1_000
  return { from: new Date(to - WINDOWS[name]).toISOString(), to: new Date(to).toISOString() }
}

export const stepOf = (from: string, to: string) =>
  Date.parse(to) - Date.parse(from) <= HOURLY_UP_TO ? '1h' : '1d'

const GIB = 1n << 30n
const DIGITS = 15
const ONE = 10n ** BigInt(DIGITS)

/** Micro-units by nanoseconds have as many decimals as this keeps. */
export function exactOf(seconds = '0'): bigint {
  const [whole = '0', fraction = ''] = seconds.split('.')
  return BigInt(whole + fraction.padEnd(DIGITS, '0').slice(0, DIGITS))
}

/** Slot-seconds as slot-hours, or GiB-hours, with at most three decimals: for people, the exact amount stands beside it. */
export function hoursText(seconds: string | undefined, slot: string): string {
  const unit = 3_600n * (kindOf(slot) === 'bytes' ? GIB : 1n) * ONE
  const thousandths = (exactOf(seconds) * 1_000n + unit / 2n) / unit
  const fraction = String(thousandths % 1_000n)
    .padStart(3, '0')
    .replace(/0+$/, '')
  return `${thousandths / 1_000n}${fraction && `.${fraction}`}`
}

/** Whether the window begins before there were accounts. */
export const isCut = ({ from, since }: Pick<Usage, 'from' | 'since'>) =>
  since !== null && Date.parse(since) > Date.parse(from)

export const slotsOf = ({ total }: Pick<Usage, 'total'>) => Object.keys(total.slot_seconds).sort(bySlotOrder)

const SHOWN = 6

/** Each step of the window by its begin, in seconds, and the end of the last. */
function stepsOf({ from, to }: Pick<Usage, 'from' | 'to'>, stepSeconds: number): number[] {
  const [begin, end] = [Date.parse(from) / 1_000, Date.parse(to) / 1_000]
  const first = Math.floor(begin / stepSeconds)
  const count = Math.max(1, Math.ceil(end / stepSeconds) - first)
  return Array.from({ length: count + 1 }, (_, index) => (first + index) * stepSeconds)
}

/** Of one slot, over time: how much was held on average of each step by the largest users, and by all others. */
export function usageLines(usage: Usage, slot: string, stepSeconds: number, others: string) {
  const times = stepsOf(usage, stepSeconds)
  const begin = times[0] ?? 0
  const most = (row: UsageRow) => exactOf(row.slot_seconds[slot])
  const keys = usage.rows
    .toSorted((a, b) => (most(b) > most(a) ? 1 : -1))
    .slice(0, SHOWN)
    .map(({ key }) => key)
  const values = new Map<string, number[]>()
  for (const piece of usage.series) {
    const label = keys.includes(piece.key) ? piece.key : others
    const line = values.get(label) ?? times.map(() => 0)
    values.set(label, line)
    const index = Math.floor((Date.parse(piece.time) / 1_000 - begin) / stepSeconds)
    line[index] = (line[index] ?? 0) + Number(piece.slot_seconds[slot] ?? 0) / stepSeconds
  }
  // The last step ends where the line does.
  values.forEach((line) => (line[times.length - 1] = line[times.length - 2] ?? 0))
  const series: Series[] = [...keys, others].flatMap((label) => {
    const line = values.get(label)
    return line ? [{ label, values: line }] : []
  })
  return { times, series }
}

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Exact slot-seconds, a line a row. */
export function csvOf(usage: Usage): string {
  const slots = slotsOf(usage)
  const head = [usage.by, 'sessions', ...slots.map((slot) => `${slot}_seconds`)]
  const lines = usage.rows.map(({ key, sessions, slot_seconds }) =>
    [key, String(sessions), ...slots.map((slot) => slot_seconds[slot] ?? '0')].map(quoted).join(','),
  )
  return `${[head.join(','), ...lines].join('\n')}\n`
}

/** Of what there was, how much was asked for, or given; null: there was nothing. */
export function ratioOf(part: string, whole: string): number | null {
  const [a, b] = [exactOf(part), exactOf(whole)]
  return b > 0n ? Number((a * 10_000n) / b) / 10_000 : null
}

export function shareText(part: string, whole: string): string {
  const ratio = ratioOf(part, whole)
  return ratio === null ? '–' : `${Number((ratio * 100).toFixed(1))} %`
}
