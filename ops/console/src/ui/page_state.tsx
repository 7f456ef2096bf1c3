import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { Problem, asSentence, pageHint } from '../api/problem'
import { useLost } from '../live/use_lost'
import { useText } from '../text/text'
import { Icon, type IconName } from './icons'
import './page_state.css'

/** What stands where a page has nothing to show: why, and what to do about it. */
export function PageState({
  icon,
  title,
  children,
}: {
  icon: IconName
  title: string
  children?: ReactNode
}) {
  return (
    <div className="page-state" role="status">
      <Icon name={icon} size={28} />
      <p className="page-state-title">{title}</p>
      {children}
    </div>
  )
}

/** What is on its way; it says so in words once it takes long, and what keeps it where the server is out of reach. */
export function Loading() {
  const { t } = useText()
  if (useLost()) {
    return (
      <PageState icon="warn" title={t('state.unreachable')}>
        <p>{t('state.goes-on')}</p>
      </PageState>
    )
  }
  return (
    <div className="skeleton" role="status" aria-label={t('state.loading')}>
      <p className="muted">{t('state.loading')}</p>
      {Array.from({ length: 8 }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}

export function Denied() {
  const { t } = useText()
  return (
    <PageState icon="warn" title={t('state.denied')}>
      <p className="muted">{t('state.denied.hint')}</p>
    </PageState>
  )
}

export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useText()
  if (error instanceof Problem && error.status === 403) return <Denied />
  return (
    <PageState icon="warn" title={t(failureTitle(error))}>
      <ProblemText error={error} />
      {retry && (
        <Button variant="default" onClick={retry}>
          {t('action.retry')}
        </Button>
      )}
    </PageState>
  )
}

/** What an error means for what was to be shown. */
export function failureTitle(error: unknown) {
  if (!(error instanceof Problem)) return 'state.failed' as const
  if (error.status === 404) return 'state.not-found' as const
  return error.unreachable ? ('state.unreachable' as const) : ('state.failed' as const)
}

/** One error as a sentence, its hint and its code; of a fault of the server, also what its log knows the request by. */
export function ProblemText({ error }: { error: unknown }) {
  if (!error) return null
  if (!(error instanceof Problem))
    return (
      <p className="problem" role="alert">
        {String(error)}
      </p>
    )
  const hint = pageHint(error.hint)
  const isFault = error.status >= 500
  return (
    <div className="problem" role="alert">
      <p>{asSentence(error.detail)}</p>
      {hint && <p className="muted">{asSentence(hint)}</p>}
      <p className="mono muted">{[error.code, isFault && error.requestId].filter(Boolean).join('  ')}</p>
    </div>
  )
}
