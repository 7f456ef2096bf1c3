import type { Status } from '../api/schema.gen'
import { showNumber } from '../plot/series'
import { useText } from '../text/text'
import { PlainTable } from '../ui/plain_table'
import { StateBadge } from '../ui/state_badge'
import { byAge, isLate, type Beat } from './operations'

const SHOWN = 50

/** The agents that have been silent longest. */
export function BeatTable({ agents }: { agents: Beat[] }) {
  const { t } = useText()
  if (agents.length === 0) return null
  return (
    <section className="operations-card">
      <h2>{t('operations.beats')}</h2>
      <PlainTable
        label={t('operations.beats')}
        rows={agents.toSorted(byAge).slice(0, SHOWN)}
        keyOf={({ name }) => name}
        columns={[
          { key: 'name', title: t('session.agent'), card: 'head', render: ({ name }) => name },
          {
            key: 'state',
            title: t('session.status'),
            card: 'side',
            render: ({ state }) => <StateBadge state={state as Status} />,
          },
          {
            key: 'age',
            title: t('operations.beat-age'),
            right: true,
            card: 'detail',
            titled: true,
            render: (beat) => (
              <span className={isLate(beat) ? 'number state-wait' : 'number'}>
                {beat.beat_age_seconds === null ? '–' : showNumber(beat.beat_age_seconds, 'seconds')}
                {isLate(beat) && ` (${t('operations.is-late')})`}
              </span>
            ),
          },
        ]}
      />
    </section>
  )
}
