import { useEffect } from 'react'
import type { Session } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { hasEnded } from '../live/tables'
import { useText } from '../text/text'
import type { IconName } from '../ui/icons'
import { PageState } from '../ui/page_state'
import { StateBadge } from '../ui/state_badge'
import { ReasonText } from './reason_text'
import { useSession } from './use_session'

export const isOver = (session: Session) => hasEnded(session) || session.status === 'TERMINATING'

type Props = { session: Session; icon: IconName; hint: string; runs: () => void }

/** In a window that opens something inside a session: the session is followed until it runs. */
export function UntilRunning({ session, icon, hint, runs }: Props) {
  const { t } = useText()
  const now = useSession(session.id).session ?? session
  const isRunning = now.status === 'RUNNING'
  useEffect(() => {
    if (isRunning) runs()
  }, [isRunning, runs])
  const ended = isOver(now)
  return (
    <PageState icon={icon} title={t(ended ? 'terminal.session-ended' : 'terminal.starts')}>
      <p className="line">
        <strong>{now.name}</strong>
        <StateBadge state={now.status} />
      </p>
      <ReasonText session={now} />
      {!ended && <p>{hint}</p>}
      <a href={`/${hashOf(['sessions'], { open: now.id })}`}>{t('nav.sessions')}</a>
    </PageState>
  )
}
