import { Suspense, lazy, useState } from 'react'
import { Button, Tabs } from '@mantine/core'
import { may } from '../api/identity'
import type { Session } from '../api/schema.gen'
import { useMoment } from '../app/router'
import { useMe } from '../app/account_context'
import { hasEnded } from '../live/tables'
import { useText } from '../text/text'
import { terminalHash } from '../terminal/terminal_address'
import { DetailDrawer } from '../ui/detail_drawer'
import { Icon } from '../ui/icons'
import { FailureText, Loading, failureTitle } from '../ui/page_state'
import { StateBadge } from '../ui/state_badge'
import { SessionDetails } from './session_details'
import { SessionEvents } from './session_events'
import { SessionKernels } from './session_kernels'
import { SessionLog } from './session_log'
import { SessionPhases } from './session_phases'
import { SessionWhy } from './session_why'
import { useMayEnd } from './use_may_end'
import { useMayOpen } from './use_may_open'
import { useMayShare } from './use_may_share'
import { useSession } from './use_session'
import './session_drawer.css'

const ShareDialog = lazy(() => import('./share_dialog'))

type Props = {
  id: string
  view: string
  setView(view: string | null): void
  close(): void
  end(sessions: Session[]): void
  launch(session: Session): void
}

/** All of one session, at the side of the list that it is in. */
export default function SessionDrawer({ id, view, setView, close, end, launch }: Props) {
  const { t } = useText()
  const { session, error, retry } = useSession(id)
  const title = error ? t(failureTitle(error)) : session ? <Title session={session} /> : t('state.loading')
  return (
    <DetailDrawer title={title} size={720} close={close}>
      {error ? (
        <div className="page-state">
          <FailureText error={error} retry={retry} />
        </div>
      ) : session ? (
        <Body session={session} view={view} setView={setView} end={end} launch={launch} />
      ) : (
        <Loading />
      )}
    </DetailDrawer>
  )
}

function Title({ session }: { session: Session }) {
  return (
    <>
      <strong>{session.name}</strong>
      <StateBadge state={session.status} />
    </>
  )
}

function Body({ session, view, setView, end, launch }: { session: Session } & Omit<Props, 'id' | 'close'>) {
  const { t } = useText()
  const seesEvents = may(useMe(), 'event', 'see')
  const isPast = useMoment() !== ''
  const waits = session.status === 'PENDING' || session.status === 'RESERVED'
  return (
    <Tabs
      value={isPast && view === 'log' ? 'overview' : view || 'overview'}
      onChange={setView}
      keepMounted={false}
    >
      <div className="drawer-head">
        <Tabs.List>
          <Tabs.Tab value="overview">{t('session.overview')}</Tabs.Tab>
          {!isPast && <Tabs.Tab value="log">{t('session.logs')}</Tabs.Tab>}
          {seesEvents && <Tabs.Tab value="events">{t('nav.events')}</Tabs.Tab>}
        </Tabs.List>
        <span className="line drawer-acts">
          <AppsButton session={session} launch={launch} />
          <ConsoleButton session={session} />
          <ShareButton session={session} />
          <EndButton session={session} end={end} />
        </span>
      </div>
      <Tabs.Panel value="overview" className="drawer-body">
        {(waits || session.agent_gone) && <SessionWhy session={session} end={end} />}
        <SessionPhases session={session} />
        <SessionKernels session={session} />
        <SessionDetails session={session} />
      </Tabs.Panel>
      {!isPast && (
        <Tabs.Panel value="log" className="drawer-body">
          <SessionLog session={session} />
        </Tabs.Panel>
      )}
      {seesEvents && (
        <Tabs.Panel value="events" className="drawer-body">
          <SessionEvents id={session.id} status={session.status} />
        </Tabs.Panel>
      )}
    </Tabs>
  )
}

function AppsButton({ session, launch }: { session: Session } & Pick<Props, 'launch'>) {
  const { t } = useText()
  if (!useMayOpen()(session)) return null
  return (
    <Button variant="default" leftSection={<Icon name="apps" size={14} />} onClick={() => launch(session)}>
      {t('session.apps')}
    </Button>
  )
}

function ConsoleButton({ session }: { session: Session }) {
  const { t } = useText()
  if (!useMayOpen()(session)) return null
  return (
    <Button
      component="a"
      href={terminalHash({ session: session.id })}
      target="_blank"
      rel="noopener"
      variant="default"
      leftSection={<Icon name="terminal" size={14} />}
    >
      {t('session.console')}
    </Button>
  )
}

function ShareButton({ session }: { session: Session }) {
  const { t } = useText()
  const [open, setOpen] = useState(false)
  if (!useMayShare(session)) return null
  return (
    <>
      <Button variant="default" leftSection={<Icon name="share" size={14} />} onClick={() => setOpen(true)}>
        {t('storage.share')}
      </Button>
      <Suspense fallback={null}>
        {open && <ShareDialog session={session} close={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

function EndButton({ session, end }: { session: Session; end: Props['end'] }) {
  const { t } = useText()
  const mayEnd = useMayEnd()
  if (hasEnded(session) || !mayEnd(session)) return null
  return (
    <Button
      color="red"
      variant="outline"
      leftSection={<Icon name="power" size={14} />}
      onClick={() => end([session])}
    >
      {t('session.terminate')}
    </Button>
  )
}
