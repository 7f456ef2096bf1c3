import type { Series, Unit } from '../plot/series'

export type RingSeries = {
  name: string
  unit: string
  labels: Record<string, string>
  values: (number | null)[]
}
export type Store = {
  name: string
  role: string
  position: string
  lag_records: number | null
  bytes: number | null
}
export type Disk = { name: string; used_bytes: number; total_bytes: number }
export type Beat = { name: string; state: string; last_beat: string | null; beat_age_seconds: number | null }
export type Epoch = { epoch: number; leader: string; since: string | null }
export type Operations = {
  from: string
  to: string
  step_seconds: number
  times: number[]
  series: RingSeries[]
  leader: { id: string; epoch: number; since: string | null } | null
  epochs: Epoch[]
  stores: Store[]
  disks: Disk[]
  quarantine: { count: number }
  agents: Beat[]
}

export const WINDOWS = ['5m', '15m', '1h'] as const

export type PlotOf = { name: string; unit: Unit; series: Series[] }

const UNITS: Record<string, Unit> = {
  '1/s': 'per-second',
  s: 'seconds',
  bytes: 'bytes',
  'bytes/s': 'bytes-per-second',
  ratio: 'share',
  count: 'count',
}

/** Series of one name are lines of one plot, in the order in which they came. */
export function plotsOf({ series }: Pick<Operations, 'series'>): PlotOf[] {
  const plots = new Map<string, PlotOf>()
  for (const { name, unit, labels, values } of series) {
    const plot = plots.get(name) ?? { name, unit: UNITS[unit] ?? 'count', series: [] }
    plots.set(name, plot)
    plot.series.push({ label: Object.values(labels).filter(Boolean).join(' ') || name, values })
  }
  return [...plots.values()]
}

/** An agent tells that it lives every few seconds: who is silent for so long is worth a look. */
export const LATE_SECONDS = 15
export const isLate = ({ state, beat_age_seconds }: Beat) =>
  state === 'ALIVE' && beat_age_seconds !== null && beat_age_seconds > LATE_SECONDS

/** Those that are worth a look come first. */
export const byAge = (a: Beat, b: Beat) => (b.beat_age_seconds ?? Infinity) - (a.beat_age_seconds ?? Infinity)
