import type { PastBounds } from '../api/schema.gen'

/** How far the slider reaches: the whole log, or so many seconds around the moment. */
export const ZOOMS = { all: 0, day: 86_400, hour: 3_600, minutes: 600 } as const
export type Zoom = keyof typeof ZOOMS

export type Span = { from: number; to: number }

export const clamp = (value: number, { from, to }: Span) => Math.min(Math.max(value, from), to)

/**
 * What of the log the slider shows, in milliseconds: a window of the zoom's length that holds the moment, moved no further than
 * has the moment leave it, so that the slider lies still under the hand.
 */
export function spanOf(log: Span, zoom: Zoom, moment: number, before: Span | null): Span {
  const length = ZOOMS[zoom] * 1_000
  if (length === 0 || length >= log.to - log.from) return log
  const isKept = before && before.to - before.from === length && moment >= before.from && moment <= before.to
  if (isKept) return before
  const from = clamp(moment - length / 2, { from: log.from, to: log.to - length })
  return { from, to: from + length }
}

/** A hundredth of a percent of what the slider shows, but at least a millisecond. */
export const stepOf = ({ from, to }: Span) => Math.max(1, Math.round((to - from) / 10_000))

/** How many seconds of the log go by in one of ours. */
export const SPEEDS = [1, 10, 60, 600, 3_600] as const

/** The moment after so many milliseconds of playing; null: the end has come. */
export function playedTo(moment: number, elapsed: number, speed: number, { to }: Span): number | null {
  const next = moment + elapsed * speed
  return next < to ? next : null
}

/** The time that a moment of an address is, in milliseconds; NaN where it is a position, which a browser might read as a year. */
export const timeOf = (at: string) => (/^\d+(-\d+)?$/.test(at) ? NaN : Date.parse(at))

export const momentText = (ms: number) => new Date(Math.round(ms)).toISOString()

/** The ends of the log by their records: a time of theirs, cut to milliseconds, may lie before them. */
export function momentIn({ first, last }: Pick<PastBounds, 'first' | 'last'>, ms: number): string {
  if (ms <= Date.parse(first.time)) return first.position
  return ms >= Date.parse(last.time) ? last.position : momentText(ms)
}

export const offsetOf = (position: string) => Number(position.split('-')[0])
