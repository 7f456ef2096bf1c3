import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useComputedColorScheme } from '@mantine/core'
import 'uplot/dist/uPlot.min.css'
import { useText } from '../text/text'
import { legendText, type Series } from './series'
import './plot.css'

export type PlotProps = {
  title: string
  /** Seconds since 1970, rising. */
  times: readonly number[]
  series: readonly Series[]
  show: (value: number) => string
  /** One above the other, as parts of a sum, each value until the next. */
  stacked?: boolean
  /** Amounts of bytes: the axis has powers of two. */
  binary?: boolean
  note?: string
}

const HEIGHT = 150
const AXES = { x: 28, y: 68 }
const POWERS = Array.from({ length: 60 }, (_, power) => 2 ** power)
const COLOURS = 6
const DASHES: (number[] | undefined)[] = [undefined, [6, 3], [2, 3]]
const styleOf = (index: number) => ({
  colour: `--plot-${(index % COLOURS) + 1}`,
  dash: DASHES[Math.floor(index / COLOURS) % DASHES.length],
})

/** Lines over time, drawn by uPlot; what they are and their newest values stand below in words. */
export default function Plot({
  title,
  times,
  series,
  show,
  stacked = false,
  binary = false,
  note,
}: PlotProps) {
  const { t, language } = useText()
  const scheme = useComputedColorScheme()
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const shape = series.map(({ label }) => label).join('\n')
  const data = dataOf(times, series, stacked)
  const latest = useRef({ data, show, labels: series.map(({ label }) => label) })
  latest.current = { data, show, labels: series.map(({ label }) => label) }

  useEffect(() => {
    const element = place.current
    if (!element) return
    const colours = getComputedStyle(element)
    const { labels } = latest.current
    const show = (value: number) => latest.current.show(value)
    const look = { labels, colours, language, stacked, binary, show }
    const plot = new uPlot(optionsOf(element.clientWidth, look), latest.current.data, element)
    drawn.current = plot
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      plot.destroy()
      drawn.current = null
    }
  }, [shape, scheme, language, stacked, binary])

  useEffect(() => {
    drawn.current?.setData(latest.current.data)
  })

  const words = legendText(series, show, t('plot.none'))
  return (
    <figure className="plot">
      <figcaption>
        <span className="plot-title">{title}</span> {note && <span className="muted">{note}</span>}
      </figcaption>
      <div className="plot-place" ref={place} role="img" aria-label={`${title}: ${words.join(', ')}`} />
      <ul className="plot-legend" aria-hidden="true">
        {series.map(({ label }, index) => (
          <li key={label}>
            <Line index={index} /> <span className="plot-words">{words[index]}</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}

function Line({ index }: { index: number }) {
  const { colour, dash } = styleOf(index)
  return (
    <svg width="18" height="8" viewBox="0 0 18 8">
      <line
        x1="0"
        x2="18"
        y1="4"
        y2="4"
        stroke={`var(${colour})`}
        strokeWidth="2.5"
        strokeDasharray={dash?.join(' ')}
      />
    </svg>
  )
}

/** Of a stack each line is the sum of those before it and its own; the first of the legend lies at the bottom. */
function dataOf(times: readonly number[], series: readonly Series[], stacked: boolean): uPlot.AlignedData {
  if (!stacked) return [[...times], ...series.map(({ values }) => [...values])] as uPlot.AlignedData
  const sums = times.map(() => 0)
  const lines = series.map(({ values }) =>
    times.map((_, index) => (sums[index] = (sums[index] ?? 0) + (values[index] ?? 0))),
  )
  return [[...times], ...lines] as uPlot.AlignedData
}

type Look = {
  labels: string[]
  colours: CSSStyleDeclaration
  language: string
  stacked: boolean
  binary: boolean
  show: (value: number) => string
}

function optionsOf(width: number, { labels, colours, language, stacked, binary, show }: Look): uPlot.Options {
  const token = (name: string) => colours.getPropertyValue(name).trim()
  const axis = {
    stroke: token('--muted'),
    font: '11px sans-serif',
    grid: { stroke: token('--line'), width: 1 },
  }
  const day = new Intl.DateTimeFormat(language, { month: 'numeric', day: 'numeric' })
  const clock = { hour: '2-digit', minute: '2-digit', hour12: false } as const
  const hour = new Intl.DateTimeFormat(language, clock)
  const second = new Intl.DateTimeFormat(language, { ...clock, second: '2-digit' })
  const formatOf = (step: number) => (step >= 86_400 ? day : step >= 60 ? hour : second)
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        size: AXES.x,
        values: (_, ticks, __, ___, step) =>
          ticks.map((tick) => formatOf(step).format(new Date(tick * 1_000))),
      },
      { ...axis, size: AXES.y, ...(binary && { incrs: POWERS }), values: (_, ticks) => ticks.map(show) },
    ],
    bands: stacked ? labels.slice(1).map((_, index) => ({ series: [index + 2, index + 1] })) : [],
    series: [
      {},
      ...labels.map((label, index) => {
        const { colour, dash } = styleOf(index)
        const fill = stacked ? `${token(colour)}55` : undefined
        return {
          label,
          stroke: token(colour),
          width: 1.6,
          dash,
          fill,
          points: { show: false },
          spanGaps: false,
          paths: stacked ? uPlot.paths.stepped?.({ align: 1 }) : undefined,
        }
      }),
    ],
  }
}
