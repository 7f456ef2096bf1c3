import { useEffect, useRef, useState } from 'react'
import { Checkbox, NativeSelect } from '@mantine/core'
import type { Session } from '../api/schema.gen'
import { useText } from '../text/text'
import { Failed, ProblemText } from '../ui/page_state'
import { hasLog, logWords } from './log_words'
import { ReasonText } from './reason_text'
import { useKernelLog } from './use_kernel_log'

/** What a kernel wrote, followed while it writes. */
export function SessionLog({ session }: { session: Session }) {
  const { t } = useText()
  const names = session.kernels.map((kernel) => kernel.name)
  const [chosen, choose] = useState('')
  const kernel = names.includes(chosen) ? chosen : (names[0] ?? '')
  const [follows, setFollows] = useState(true)
  const row = session.kernels.find((one) => one.name === kernel)
  const log = useKernelLog(session.id, kernel, hasLog(row))
  const words = logWords(session, row, log.ended)
  const box = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (follows && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [follows, log.text])
  const scrolled = ({
    currentTarget: { scrollTop, scrollHeight, clientHeight },
  }: React.UIEvent<HTMLElement>) => setFollows(scrollHeight - scrollTop - clientHeight < 24)
  if (log.error && !log.text) return <Failed error={log.error} retry={log.readAgain} />
  return (
    <div className="log">
      <div className="line">
        {names.length > 1 && (
          <NativeSelect
            aria-label={t('session.kernel')}
            data={names}
            value={kernel}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        )}
        <Checkbox
          label={t('log.follow')}
          checked={follows}
          onChange={(event) => setFollows(event.currentTarget.checked)}
        />
        <span className="grow" />
        <span className="muted" role="status">
          {t(words.state)}
        </span>
      </div>
      <ProblemText error={log.error} />
      {log.cut && <p className="muted">{t('log.cut')}</p>}
      <pre
        ref={box}
        className="log-text mono"
        tabIndex={0}
        aria-label={t('session.logs')}
        onScroll={scrolled}
      >
        {log.text || <span className="muted">{t(words.nothing)}</span>}
        {!log.text && words.nothing === 'log.never-started' && (
          <>
            {'\n'}
            <ReasonText session={session} />
          </>
        )}
      </pre>
    </div>
  )
}
