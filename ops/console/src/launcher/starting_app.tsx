import { useEffect, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { useText, type Translate } from '../text/text'
import { Loading, PageState } from '../ui/page_state'
import { useNow } from '../ui/use_now'
import type { AppName } from './app_address'
import { AppRefused } from './app_problem'
import type { AppState } from './app_state'
import { EnteringApp } from './entering_app'
import type { StartOrder } from './start_order'
import { useApp } from './use_app'
import { useOrder } from './use_order'
import { useTitle } from './use_title'

type Props = { name: AppName; title: string; of: string }

/** Apps are ready within a few seconds; from then on their log is worth reading. */
const SLOW_S = 20

export function StartingApp(props: Props) {
  const { t } = useText()
  const { order, doWithout } = useOrder()
  if (order === null) return <Loading />
  if (order === 'gone')
    return (
      <PageState icon="warn" title={t('app.order-gone')}>
        <p>{t('app.order-gone.hint')}</p>
        <Button variant="default" onClick={doWithout}>
          {t('app.order-gone.without')}
        </Button>
      </PageState>
    )
  return <Ordered {...props} order={order} />
}

function Ordered({ name, title, of, order }: Props & { order: StartOrder }) {
  const { t } = useText()
  useTitle(title, of)
  const { state, log, again } = useApp(name.session, name.app, order)
  if (state.kind === 'ready') return <EnteringApp name={name} title={title} of={of} />
  if (state.kind === 'closed') {
    const { why, problem } = state
    return <AppRefused why={why} problem={problem} retry={why === 'failed' ? again : undefined} />
  }
  if (state.kind === 'ended')
    return (
      <>
        <PageState icon="warn" title={t('app.ended', { app: title })}>
          <p>{endText(state, t)}</p>
          <Button data-autofocus onClick={again}>
            {t('app.again')}
          </Button>
        </PageState>
        <Log text={log} open />
      </>
    )
  return <Waiting title={title} of={of} state={state} log={log} />
}

function endText({ exitCode, signal }: Extract<AppState, { kind: 'ended' }>, t: Translate): string {
  return signal > 0 ? t('app.killed', { n: signal }) : t('app.exited', { code: exitCode })
}

type WaitingProps = { title: string; of: string; state: AppState; log: string }

function Waiting({ title, of, state, log }: WaitingProps) {
  const { t } = useText()
  const now = useNow()
  const [begin] = useState(() => Math.floor(Date.now() / 1000))
  const seconds = Math.max(0, now - begin)
  const isSlow = seconds >= SLOW_S
  return (
    <>
      <PageState icon="apps" title={t('app.starting', { app: title })}>
        <p>{of}</p>
        <span className="app-progress" aria-hidden="true" />
        {state.kind === 'cut' && <p>{t('app.cut')}</p>}
        {state.kind !== 'cut' && isSlow && <p>{t('app.slow')}</p>}
        <p className="number" aria-hidden="true">
          {seconds > 1 ? t('app.seconds', { n: seconds }) : ''}
        </p>
      </PageState>
      <Log text={log} open={isSlow} />
    </>
  )
}

/** What the app has printed; its end is in sight, unless a person looks at something above. */
function Log({ text, open }: { text: string; open: boolean }) {
  const { t } = useText()
  const box = useRef<HTMLPreElement>(null)
  const [isOpen, setOpen] = useState(open)
  const [isLeft, setLeft] = useState(false)
  useEffect(() => setOpen((before) => before || open), [open])
  useEffect(() => {
    if (isOpen && !isLeft && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [text, isOpen, isLeft])
  return (
    <details className="app-log" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('app.log')}</summary>
      <pre
        ref={box}
        className="mono"
        tabIndex={0}
        aria-label={t('app.log')}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setLeft(scrollHeight - scrollTop - clientHeight > 24)
        }
      >
        {text || <span className="muted">{t('app.log.empty')}</span>}
      </pre>
    </details>
  )
}
