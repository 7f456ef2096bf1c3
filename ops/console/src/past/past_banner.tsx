import { Button } from '@mantine/core'
import { Problem, asSentence } from '../api/problem'
import { setQuery, useMoment } from '../app/router'
import { useText } from '../text/text'
import { CopyText } from '../ui/copy_text'
import { Icon } from '../ui/icons'
import { ProblemText } from '../ui/page_state'
import { absoluteText } from '../ui/time'
import { TimeControls } from './time_controls'
import { useRecordOf } from './world'
import './past.css'

/** A moment that lies far from a checkpoint takes long: the server says how far it is. */
const waitsFor = (reason: unknown) =>
  reason instanceof Problem && reason.status === 503 ? asSentence(reason.detail) : ''

/** Above every page while it shows the past: which moment, a way to move it (`controls`), and the way back. */
export default function PastBanner({ controls }: { controls: boolean }) {
  const { t, language } = useText()
  const at = useMoment()
  const { data, error, failureReason, isFetching } = useRecordOf(at)
  const when = data ? absoluteText(data.time, language) : at
  return (
    <section className="past" aria-label={t('past.title')}>
      <div className="past-line">
        <Icon name="time" />
        <span className="past-when" role="status">
          {t('past.as-of', { when })}
          {data && <span className="mono past-position"> {data.position}</span>}
          <span className="past-waits">
            {isFetching && ` ${waitsFor(failureReason) || t('past.reading')}`}
          </span>
        </span>
        <span className="muted past-off">{t('past.actions-off')}</span>
        <span className="grow" />
        <CopyText text={location.href} hidden label={t('past.copy')} />
        <Button size="compact-sm" onClick={() => setQuery({ at: null }, {})}>
          {t('past.now')}
        </Button>
      </div>
      {controls && <TimeControls />}
      <ProblemText error={error} />
    </section>
  )
}
