import { useCallback, useEffect, useRef } from 'react'
import { useQuery } from '@tanstack/react-query'
import { call, part } from '../api/client'
import type { Session } from '../api/schema.gen'
import { hashOf, usePlace } from '../app/router'
import { hasEnded } from '../live/tables'
import { ReasonText } from '../session/reason_text'
import { useSession } from '../session/use_session'
import { Boundary } from '../shell/boundary'
import { useText } from '../text/text'
import { Failed, Loading, PageState } from '../ui/page_state'
import { StateBadge } from '../ui/state_badge'
import { FIRST_SHELL, shellNameOf, type ShellName } from './terminal_address'
import { TerminalWindow } from './terminal_window'
import './terminal.css'

/** A window of its own for one shell of a session. */
export default function TerminalPage() {
  const { path, query } = usePlace()
  const shell = shellNameOf(path, query)
  return (
    <Boundary key={JSON.stringify(shell)}>
      <Opened shell={shell} />
    </Boundary>
  )
}

/** A session that runs is asked for once: to follow all sessions is not a terminal's business. What it showed stays after its end. */
function Opened({ shell }: { shell: ShellName }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['session', shell.session, 'terminal'],
    queryFn: ({ signal }) => call<Session>('GET', `/v1/sessions/${part(shell.session)}`, { signal }),
    staleTime: Infinity,
  })
  const again = useCallback(() => void refetch(), [refetch])
  const hasRun = useRef(false)
  useTitle(data?.name, shell.name)
  if (!data) return <Instead>{error ? <Failed error={error} retry={again} /> : <Loading />}</Instead>
  hasRun.current ||= data.status === 'RUNNING'
  if (data.status === 'RUNNING' || (hasRun.current && isOver(data)))
    return <TerminalWindow session={data} shell={shell} lookAgain={again} />
  return <NotRunning session={data} runs={again} />
}

const isOver = (session: Session) => hasEnded(session) || session.status === 'TERMINATING'

function useTitle(session: string | undefined, shell: string) {
  useEffect(() => {
    const before = document.title
    if (session) document.title = shell === FIRST_SHELL ? session : `${session} (${shell})`
    return () => {
      document.title = before
    }
  }, [session, shell])
}

function Instead({ children }: { children: React.ReactNode }) {
  return (
    <main className="terminal">
      <div className="terminal-instead">{children}</div>
    </main>
  )
}

/** Followed until it runs, and the terminal opens by itself. */
function NotRunning({ session, runs }: { session: Session; runs: () => void }) {
  const { t } = useText()
  const now = useSession(session.id).session ?? session
  const isRunning = now.status === 'RUNNING'
  useEffect(() => {
    if (isRunning) runs()
  }, [isRunning, runs])
  const ended = isOver(now)
  return (
    <Instead>
      <PageState icon="terminal" title={t(ended ? 'terminal.session-ended' : 'terminal.starts')}>
        <p className="line">
          <strong>{now.name}</strong>
          <StateBadge state={now.status} />
        </p>
        <ReasonText session={now} />
        {!ended && <p>{t('terminal.starts.hint')}</p>}
        <a href={hashOf(['sessions'], { open: now.id })}>{t('nav.sessions')}</a>
      </PageState>
    </Instead>
  )
}
