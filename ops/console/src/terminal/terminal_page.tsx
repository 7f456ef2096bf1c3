import { useCallback, useEffect, useRef } from 'react'
import { useQuery } from '@tanstack/react-query'
import { call, part } from '../api/client'
import type { Session } from '../api/schema.gen'
import { usePlace } from '../app/router'
import { UntilRunning, isOver } from '../session/until_running'
import { Boundary } from '../shell/boundary'
import { useText } from '../text/text'
import { Failed, Loading } from '../ui/page_state'
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
  const { t } = useText()
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
  return (
    <Instead>
      <UntilRunning session={data} icon="terminal" hint={t('terminal.starts.hint')} runs={again} />
    </Instead>
  )
}

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
