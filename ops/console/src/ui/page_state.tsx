import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { Problem, asSentence, pageHint } from '../api/problem'
import { hashOf } from '../app/router'
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

/** Of a page that is of now alone, or chooses its times itself, where one looks at the past. */
export function NoPast() {
  const { t } = useText()
  return (
    <PageState icon="time" title={t('past.page-has-none')}>
      <p className="muted">{t('past.page-has-none.hint')}</p>
    </PageState>
  )
}

/** In place of what could not be shown: what the error means, and a way to try again where that may help. */
export function Failed({ error, retry }: FailedProps) {
  const { t } = useText()
  if (error instanceof Problem && error.status === 403) return <Denied />
  return (
    <PageState icon="warn" title={t(failureTitle(error))}>
      <FailureText error={error} retry={retry} />
    </PageState>
  )
}

type FailedProps = { error: unknown; retry: () => void }

/** What `Failed` says below its title. A fault of the server is told in our words: its own are for its log. */
export function FailureText({ error, retry }: FailedProps) {
  const { t } = useText()
  const title = failureTitle(error)
  return (
    <>
      {title === 'state.fault' && <p>{t('state.fault.hint')}</p>}
      {title === 'state.fault' && error instanceof Problem && error.requestId && (
        <p className="muted">{t('state.fault.request', { id: error.requestId })}</p>
      )}
      {(title === 'state.failed' || title === 'state.not-found') && <Told error={error} />}
      {title !== 'state.not-found' && (
        <Button variant="default" onClick={retry}>
          {t('action.retry')}
        </Button>
      )}
    </>
  )
}

function Told({ error }: { error: unknown }) {
  const { t } = useText()
  if (!(error instanceof Problem)) return null
  const hint = pageHint(error.hint)
  return (
    <>
      <p>{error.detail ? asSentence(error.detail) : t(failureTitle(error))}</p>
      {hint && <p className="muted">{asSentence(hint)}</p>}
    </>
  )
}

/** What an error means for what was to be shown. */
export function failureTitle(error: unknown) {
  if (!(error instanceof Problem)) return 'state.failed' as const
  if (error.status === 404) return 'state.not-found' as const
  if (error.unreachable) return 'state.unreachable' as const
  return error.status >= 500 ? ('state.fault' as const) : ('state.failed' as const)
}

/** The error of what a person has asked for: a sentence, its hint and its code; of a fault of the server, what its log knows the request by. */
export function ProblemText({ error }: { error: unknown }) {
  const { t } = useText()
  if (!error) return null
  const problem = error instanceof Problem ? error : new Problem(0, '', '')
  const hint = pageHint(problem.hint)
  const isFault = problem.status >= 500
  return (
    <div className="problem" role="alert">
      <p>{problem.status > 0 && problem.detail ? asSentence(problem.detail) : t(failureTitle(error))}</p>
      {hint && <p className="muted">{asSentence(hint)}</p>}
      {problem.status > 0 && (
        <p className="mono muted">
          {[problem.code, isFault && problem.requestId].filter(Boolean).join('  ')}
        </p>
      )}
    </div>
  )
}

/** An address that names nothing of the console. */
export function NoSuchPage() {
  const { t } = useText()
  return (
    <PageState icon="search" title={t('state.no-page')}>
      <a href={hashOf(['sessions'])}>{t('nav.sessions')}</a>
    </PageState>
  )
}
