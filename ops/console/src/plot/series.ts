export type Series = { label: string; values: readonly (number | null)[] }

/** The newest value that there is. */
export const lastOf = (values: readonly (number | null)[]): number | null =>
  values.findLast((value) => value !== null) ?? null

/** A sentence a line: what it is, and its newest value with its unit. */
export const legendText = (series: readonly Series[], show: (value: number) => string, none: string) =>
  series.map(({ label, values }) => {
    const last = lastOf(values)
    return `${label} ${last === null ? none : show(last)}`
  })

const digits = (value: number) => {
  const size = Math.abs(value)
  return size >= 100 ? 0 : size >= 10 ? 1 : 2
}
const plain = (value: number) =>
  String(Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(digits(value))))

const TIMES: [number, string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
]
const BYTES: [number, string][] = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
]
const COUNTS: [number, string][] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
]

function scaled(value: number, units: [number, string][], base: string): string {
  const unit = units.find(([size]) => Math.abs(value) >= size)
  return unit ? `${plain(value / unit[0])} ${unit[1]}` : `${plain(value)}${base && ` ${base}`}`
}

export type Unit = 'seconds' | 'bytes' | 'count' | 'per-second' | 'bytes-per-second' | 'share'

/** A number with the unit that suits its size. */
export function showNumber(value: number, unit: Unit): string {
  if (unit === 'seconds') return value === 0 ? '0 s' : scaled(value, TIMES, 's')
  if (unit === 'bytes') return scaled(value, BYTES, 'B')
  if (unit === 'bytes-per-second') return `${scaled(value, BYTES, 'B')}/s`
  if (unit === 'share') return `${plain(value * 100)} %`
  const count = value >= 10_000 ? scaled(value, COUNTS, '') : plain(value)
  return unit === 'per-second' ? `${count}/s` : count
}
