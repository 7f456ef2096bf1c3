import { slotName } from '../amount/amount'
import { showNumber } from '../plot/series'
import { useText } from '../text/text'
import { ratioOf, shareText, type Usage } from './usage'

/** How long people waited, and how much of what there was they asked for and were given. */
export function Utilisations({ usage }: { usage: Usage }) {
  const { t } = useText()
  const { waits, utilisation } = usage
  const seconds = (ms: number | undefined) => (ms === undefined ? '–' : showNumber(ms / 1_000, 'seconds'))
  return (
    <div className="usage-tiles">
      <section className="usage-card" aria-label={t('usage.waits')}>
        <h2>{t('usage.waits')}</h2>
        <dl className="usage-facts">
          <dt>{t('usage.p50')}</dt>
          <dd className="number">{seconds(waits?.p50_ms)}</dd>
          <dt>{t('usage.p95')}</dt>
          <dd className="number">{seconds(waits?.p95_ms)}</dd>
          <dt>{t('usage.started')}</dt>
          <dd className="number">{waits?.count ?? 0}</dd>
        </dl>
      </section>
      {utilisation.map(({ slot, capacity_seconds, asked_seconds, given_seconds }) => (
        <section
          key={slot}
          className="usage-card"
          aria-label={t('usage.utilisation', { slot: slotName(slot) })}
        >
          <h2>{t('usage.utilisation', { slot: slotName(slot) })}</h2>
          {(
            [
              ['usage.asked', asked_seconds],
              ['usage.given', given_seconds],
            ] as const
          ).map(([key, part]) => (
            <div key={key} className="usage-share">
              <span>{t(key)}</span>
              <span className="bar" role="img" aria-label={`${t(key)}: ${shareText(part, capacity_seconds)}`}>
                <span
                  className="bar-running"
                  style={{
                    width: `${Math.min(1, ratioOf(part, capacity_seconds) ?? 0) * 100}%`,
                  }}
                />
              </span>
              <span className="number">{shareText(part, capacity_seconds)}</span>
            </div>
          ))}
        </section>
      ))}
    </div>
  )
}
