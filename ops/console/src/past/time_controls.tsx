import { useRef, useState } from 'react'
import { useIsFetching } from '@tanstack/react-query'
import { NativeSelect } from '@mantine/core'
import { may } from '../api/identity'
import type { PastBounds } from '../api/schema.gen'
import { setQuery, useMoment } from '../app/router'
import { useLiveStore } from '../live/use_live'
import { useText } from '../text/text'
import { Icon, type IconName } from '../ui/icons'
import { Failed, ProblemText } from '../ui/page_state'
import { absoluteText } from '../ui/time'
import {
  SPEEDS,
  ZOOMS,
  clamp,
  momentIn,
  momentText,
  offsetOf,
  spanOf,
  stepOf,
  timeOf,
  type Span,
  type Zoom,
} from './span'
import { recordAfter, recordBefore } from './steps'
import { useBounds } from './use_bounds'
import { usePlay } from './use_play'
import { useThrottled } from './use_throttled'
import { useMeOfNow, useRecordOf } from './world'
import './past.css'

const DRAG_EVERY_MS = 120

/** A slider over the log, a step to the event before or after, and play: they move the moment of the address. */
export function TimeControls() {
  const bounds = useBounds()
  if (bounds.data) return <Controls bounds={bounds.data} />
  return bounds.error ? <Failed error={bounds.error} retry={() => void bounds.refetch()} /> : null
}

const logOf = ({ first, last }: PastBounds): Span => ({
  from: Date.parse(first.time),
  to: Math.max(Date.parse(last.time), Date.parse(first.time) + 1),
})

/** The first step into the past is one to come back from; moving within it is none. */
const moveTo = (at: string, isPast: boolean) => setQuery({ at }, { replace: isPast })

function Controls({ bounds }: { bounds: PastBounds }) {
  const at = useMoment()
  const record = useRecordOf(at)
  const log = logOf(bounds)
  const [dragged, setDragged] = useState<number | null>(null)
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<number>(60)
  const [zoom, setZoom] = useState<Zoom>('all')
  const span = useRef<Span | null>(null)
  const store = useLiveStore()
  const isFetching = useIsFetching() > 0 || record.isFetching
  const waits = () => isFetching || store.isReading === true
  const named = timeOf(at)
  const then = at === '' ? log.to : Number.isNaN(named) ? Date.parse(record.data?.time ?? '') : named
  const moment = clamp(dragged ?? (Number.isNaN(then) ? log.to : then), log)
  span.current = spanOf(log, zoom, moment, span.current)

  const show = useThrottled((ms: number) => {
    moveTo(momentIn(bounds, ms), at !== '')
    setDragged((before) => (before === ms ? null : before))
  }, DRAG_EVERY_MS)
  const move = (ms: number) => {
    setDragged(ms)
    show(ms)
  }
  usePlay({ playing, speed, moment, log, waits, move, end: () => setPlaying(false) })
  return (
    <div className="past-controls">
      <Steps bounds={bounds} at={at} record={record.data?.position} />
      <PlayButton
        playing={playing}
        speed={speed}
        setSpeed={setSpeed}
        toggle={() => {
          if (!playing && at === '') move(log.from)
          setPlaying(!playing)
        }}
      />
      <Slider span={span.current} moment={moment} move={move} />
      <ZoomSelect zoom={zoom} set={setZoom} />
    </div>
  )
}

function Slider({ span, moment, move }: { span: Span; moment: number; move: (ms: number) => void }) {
  const { t, language } = useText()
  return (
    <input
      type="range"
      className="past-slider"
      aria-label={t('past.slider')}
      aria-valuetext={absoluteText(momentText(moment), language)}
      min={span.from}
      max={span.to}
      step={stepOf(span)}
      value={moment}
      onChange={(event) => move(Number(event.currentTarget.value))}
    />
  )
}

/** Each from the record that is shown; who may not see the events steps from record to record. */
function Steps({ bounds, at, record }: { bounds: PastBounds; at: string; record?: string }) {
  const { t } = useText()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const seesEvents = may(useMeOfNow(), 'event', 'see')
  const offset = offsetOf(at && record ? record : bounds.last.position)
  const [first, last] = [offsetOf(bounds.first.position), offsetOf(bounds.last.position)]
  const step = async (find: () => Promise<number | null>) => {
    setBusy(true)
    setError(null)
    const found = await find().catch((problem: unknown) => (setError(problem), null))
    setBusy(false)
    if (found !== null && found >= first && found <= last) moveTo(String(found), at !== '')
  }
  const back = () => (seesEvents ? recordBefore(offset, first) : Promise.resolve(offset - 1))
  const on = () => (seesEvents ? recordAfter(offset) : Promise.resolve(offset + 1))
  return (
    <>
      <Act
        icon="previous"
        label={t('past.previous')}
        disabled={busy || offset <= first}
        act={() => void step(back)}
      />
      <Act
        icon="next"
        label={t('past.next')}
        disabled={busy || at === '' || offset >= last}
        act={() => void step(on)}
      />
      <ProblemText error={error} />
    </>
  )
}

type PlayProps = { playing: boolean; speed: number; setSpeed: (speed: number) => void; toggle: () => void }

function PlayButton({ playing, speed, setSpeed, toggle }: PlayProps) {
  const { t } = useText()
  return (
    <>
      <Act icon={playing ? 'pause' : 'start'} label={t(playing ? 'past.pause' : 'past.play')} act={toggle} />
      <NativeSelect
        size="xs"
        className="past-select"
        aria-label={t('past.speed')}
        value={String(speed)}
        onChange={(event) => setSpeed(Number(event.currentTarget.value))}
        data={SPEEDS.map((one) => ({ value: String(one), label: `× ${one}` }))}
      />
    </>
  )
}

function ZoomSelect({ zoom, set }: { zoom: Zoom; set: (zoom: Zoom) => void }) {
  const { t } = useText()
  return (
    <NativeSelect
      size="xs"
      className="past-select"
      aria-label={t('past.zoom')}
      value={zoom}
      onChange={(event) => set(event.currentTarget.value as Zoom)}
      data={(Object.keys(ZOOMS) as Zoom[]).map((one) => ({ value: one, label: t(`past.zoom-${one}`) }))}
    />
  )
}

type ActProps = { icon: IconName; label: string; disabled?: boolean; act: () => void }

function Act({ icon, label, disabled, act }: ActProps) {
  return (
    <button
      type="button"
      className="quiet"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={act}
    >
      <Icon name={icon} />
    </button>
  )
}
