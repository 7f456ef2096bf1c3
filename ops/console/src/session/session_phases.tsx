import type { Session } from '../api/schema.gen'
import { useText } from '../text/text'
import { absoluteText, durationText } from '../ui/time'
import { useNow } from '../ui/use_now'
import { kernelStretches, phasesOf } from './phases'

/** A line a phase, a line a kernel, over the time from the request until the end or now. */
export function SessionPhases({ session }: { session: Session }) {
  const { t } = useText()
  const now = useNow() * 1000
  const phases = phasesOf(session)
  const begin = phases[0]?.from
  if (begin === undefined) return null
  const end = Math.max(begin + 1, ...phases.map(({ to }) => to ?? now))
  return (
    <section className="stack-tight">
      <h2>{t('session.phases')}</h2>
      <div className="gantt" role="table" aria-label={t('session.phases')}>
        {phases.map((phase) => (
          <GanttLine
            key={phase.name}
            label={t(`phase.${phase.name}`)}
            tone={phase.name}
            from={phase.from}
            to={phase.to ?? now}
            begin={begin}
            end={end}
          />
        ))}
        {kernelStretches(session).map((kernel) => (
          <GanttLine
            key={kernel.name}
            label={kernel.name}
            tone="kernel"
            from={kernel.from}
            to={kernel.to ?? now}
            begin={begin}
            end={end}
          />
        ))}
      </div>
    </section>
  )
}

type LineProps = { label: string; tone: string; from: number; to: number; begin: number; end: number }

function GanttLine({ label, tone, from, to, begin, end }: LineProps) {
  const { language } = useText()
  const share = (time: number) => ((Math.min(Math.max(time, begin), end) - begin) / (end - begin)) * 100
  const times = `${absoluteText(new Date(from).toISOString(), language)} – ${absoluteText(new Date(to).toISOString(), language)}`
  return (
    <div className="gantt-line" role="row" title={times}>
      <span role="cell" className="clip">
        {label}
      </span>
      <span role="cell" className="gantt-track">
        <span
          className={`gantt-bar gantt-${tone}`}
          style={{ left: `${share(from)}%`, width: `max(2px, ${share(to) - share(from)}%)` }}
        />
      </span>
      <span role="cell" className="number">
        {durationText((to - from) / 1000)}
      </span>
    </div>
  )
}
