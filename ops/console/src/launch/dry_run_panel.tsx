import { pageHint } from '../api/problem'
import type { DryRun } from '../api/schema.gen'
import { useText } from '../text/text'
import { slotText } from '../ui/configuration'
import { Icon } from '../ui/icons'
import { ProblemText } from '../ui/page_state'
import { RelativeTime } from '../ui/time'

type Props = {
  count: number
  /** The form holds what is no request yet: nothing can be said of it. */
  faulty: boolean
  answer: DryRun | undefined
  error: unknown
  asking: boolean
}

/** What would happen if it were launched now. */
export function DryRunPanel({ count, faulty, answer, error, asking }: Props) {
  const { t } = useText()
  return (
    <section
      className={asking && !faulty ? 'forecast forecast-old' : 'forecast'}
      aria-label={t('forecast.title')}
      aria-live="polite"
      aria-busy={asking && !faulty}
    >
      <h2>{t('forecast.title')}</h2>
      {faulty ? (
        <p className="muted">{t('forecast.faulty')}</p>
      ) : error ? (
        <ProblemText error={error} />
      ) : answer ? (
        <Forecast answer={answer} count={count} />
      ) : (
        <p className="muted">{t('forecast.asking')}</p>
      )}
    </section>
  )
}

function Forecast({ answer, count }: { answer: DryRun; count: number }) {
  const { t } = useText()
  const { starting_now: starting, waiting, warnings, note } = answer
  return (
    <>
      <p className={starting === count ? 'forecast-head forecast-good' : 'forecast-head forecast-wait'}>
        <Icon name={starting === count ? 'ok' : warnings.length > 0 ? 'warn' : 'wait'} />
        {headline(starting, count, warnings.length > 0, t)}
      </p>
      {waiting && <Waiting answer={answer} />}
      {warnings.map((warning) => (
        <p key={warning} className="forecast-warning">
          {warning}
        </p>
      ))}
      {note && <p className="muted">{note}</p>}
      <ul className="forecast-places">
        {answer.sessions
          .filter((session) => session.starts_now)
          .slice(0, 4)
          .flatMap((session) =>
            session.kernels.map((kernel) => (
              <li key={session.name + kernel.kernel}>
                {session.name} → {kernel.agent}{' '}
                <span className="muted">
                  {kernel.devices
                    .map((share) => `${share.device}: ${slotText(share.slot, share.amount)}`)
                    .join(', ')}
                </span>
              </li>
            )),
          )}
      </ul>
    </>
  )
}

function headline(
  starting: number,
  count: number,
  never: boolean,
  t: ReturnType<typeof useText>['t'],
): string {
  if (never) return t('forecast.never')
  if (starting === count) return count === 1 ? t('forecast.now') : t('forecast.all-now', { n: count })
  return starting === 0 ? t('forecast.waits') : t('forecast.some', { starting, waiting: count - starting })
}

function Waiting({ answer: { waiting } }: { answer: DryRun }) {
  const { t } = useText()
  if (!waiting) return null
  const at = waiting.estimated_start?.p90?.at
  return (
    <>
      <p className="forecast-why">{waiting.text}</p>
      {pageHint(waiting.hint) && <p className="muted">{pageHint(waiting.hint)}</p>}
      {at && (
        <p>
          {t('why.estimate')} <RelativeTime at={at} />
        </p>
      )}
      {waiting.unblock.lines.length > 0 && (
        <ul className="why-lines">
          {waiting.unblock.lines.slice(0, 4).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  )
}
