import { Button } from '@mantine/core'
import { Problem, asSentence, pageHint } from '../api/problem'
import { refusalOf } from '../terminal/refusal'
import type { Refusal } from '../terminal/shell_messages'
import { useText } from '../text/text'
import { Failed, PageState } from '../ui/page_state'
import { whyOf, type Why } from './app_state'
import type { SessionApp } from './session_app'

const TITLES = {
  'session-ended': 'app.session-ended',
  denied: 'app.denied',
  'not-found': 'app.not-found',
  'signed-out': 'terminal.signed-out',
  'unknown-app': 'app.unknown',
  'no-app-origin': 'app.no-origin',
  'not-for-this-backend': 'app.no-backend',
  'not-shown': 'app.not-shown',
  failed: 'app.failed',
} as const

const HINTS = {
  'no-app-origin': 'app.no-origin.hint',
  'not-for-this-backend': 'app.no-backend.hint',
  'not-shown': 'app.not-shown.hint',
} as const

type Props = { why: Why; problem?: Refusal; declared?: SessionApp[]; retry?: () => void }

/** Why an app does not open. */
export function AppRefused({ why, problem, declared = [], retry }: Props) {
  const { t } = useText()
  const hint = HINTS[why as keyof typeof HINTS]
  const names = declared.map(({ name }) => name).join(', ')
  return (
    <PageState icon="warn" title={t(TITLES[why])}>
      {hint && <p>{t(hint)}</p>}
      {why === 'unknown-app' && (names || !problem) && (
        <p>{names ? t('app.unknown.others', { names }) : t('apps.none')}</p>
      )}
      {problem && !hint && <Told problem={problem} />}
      {retry && (
        <Button variant="default" onClick={retry}>
          {t('action.retry')}
        </Button>
      )}
      <a href="/#/sessions">{t('nav.sessions')}</a>
    </PageState>
  )
}

function Told({ problem: { code, message, hint } }: { problem: Refusal }) {
  const shown = pageHint(hint)
  return (
    <>
      {message && <p>{asSentence(message)}</p>}
      {shown && <p className="muted">{asSentence(shown)}</p>}
      <p className="mono muted">{code}</p>
    </>
  )
}

/** An answer of /v1 in place of the app. */
export function AppProblem({ error, retry }: { error: unknown; retry: () => void }) {
  const problem = refusalOf(error)
  const why = problem && whyOf(problem)
  const isTold = error instanceof Problem && error.status < 500 && problem && why
  if (!isTold) return <Failed error={error} retry={retry} />
  return <AppRefused why={why} problem={problem} retry={why === 'failed' ? retry : undefined} />
}
