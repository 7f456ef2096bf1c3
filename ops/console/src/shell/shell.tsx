import { Suspense, lazy, useState } from 'react'
import { Button, Modal } from '@mantine/core'
import { may } from '../api/identity'
import { useMe } from '../app/account_context'
import { go, hashOf, useMoment, usePlace } from '../app/router'
import { TIME, routeOf, type Route } from '../app/routes'
import { World } from '../past/world'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { Denied, Loading, NoPast, NoSuchPage } from '../ui/page_state'
import { Boundary } from './boundary'
import { useCurrentGroup } from './current_group'
import { GroupSelect } from './group_select'
import { Indicator } from './indicator'
import { Navigation } from './navigation'
import { OfflineBanner } from './offline_banner'
import './shell.css'

const LaunchDialog = lazy(() => import('../launch/launch_dialog'))

const PastBanner = lazy(() => import('../past/past_banner'))

/** What every page stands in: navigation, resource group, indicator, START; of now, or of the moment in the address. */
export function Shell() {
  return (
    <World key={useMe().browser_session}>
      <ShellOfMoment />
    </World>
  )
}

function ShellOfMoment() {
  const { t } = useText()
  const place = usePlace()
  const isPast = useMoment() !== ''
  const [launching, setLaunching] = useState(false)
  const route = routeOf(place.path)
  return (
    <div className="shell">
      <a className="skip" href="#main" onClick={skipToMain}>
        {t('shell.skip')}
      </a>
      <Navigation current={route?.name ?? ''} />
      <Suspense fallback={null}>{isPast && <PastBanner controls={route?.name !== TIME} />}</Suspense>
      <header className="shell-head">
        <GroupAndIndicator key={String(isPast)} />
        {may(useMe(), 'session', 'create') && (
          <Button
            className="shell-start"
            leftSection={<Icon name="start" size={14} />}
            onClick={() => setLaunching(true)}
          >
            {t('shell.start')}
          </Button>
        )}
      </header>
      <main id="main" className="shell-main" tabIndex={-1}>
        <OfflineBanner />
        <Boundary key={`${route?.name ?? ''} ${isPast && route?.name !== TIME}`}>
          <Suspense fallback={<Loading />}>{route ? <Page route={route} /> : <NoSuchPage />}</Suspense>
        </Boundary>
      </main>
      {launching && (
        <Suspense fallback={<LaunchComes close={() => setLaunching(false)} />}>
          <LaunchDialog
            close={() => setLaunching(false)}
            launched={(id, view) => go(hashOf(['sessions'], { open: id, view }))}
          />
        </Suspense>
      )}
    </div>
  )
}

function GroupAndIndicator() {
  const { group } = useCurrentGroup()
  return (
    <>
      <GroupSelect />
      <Indicator group={group} />
    </>
  )
}

/** START is heard at once, also where its form takes long to come. */
function LaunchComes({ close }: { close: () => void }) {
  const { t } = useText()
  return (
    <Modal opened onClose={close} title={t('launch.title')} size={1040} transitionProps={{ duration: 0 }}>
      <Loading />
    </Modal>
  )
}

function skipToMain(event: React.MouseEvent) {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Page({ route }: { route: Route }) {
  const me = useMe()
  const isPast = useMoment() !== ''
  if (!route.open(me)) return <Denied />
  return isPast && !route.hasPast ? <NoPast /> : <route.Page />
}
