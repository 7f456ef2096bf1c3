import { useCallback, useEffect } from 'react'
import { useQuery } from '@tanstack/react-query'
import { call, part } from '../api/client'
import type { Session } from '../api/schema.gen'
import { UntilRunning } from '../session/until_running'
import { Boundary } from '../shell/boundary'
import { useText } from '../text/text'
import { Loading } from '../ui/page_state'
import { isPort, type AppName } from './app_address'
import { AppProblem, AppRefused } from './app_problem'
import { EnteringApp } from './entering_app'
import { isShown, isStarted } from './session_app'
import { StartingApp } from './starting_app'
import { useApps } from './use_apps'
import './app_page.css'

/** A window of its own for one app of a session: starts the app, and becomes the app's once that is ready. */
export default function AppPage({ name }: { name: AppName }) {
  useReturn()
  return (
    <main className="app-page">
      <Boundary key={JSON.stringify(name)}>
        <Opened name={name} />
      </Boundary>
    </main>
  )
}

/** A browser may keep this page for who goes back from the app: as it was left, it waits for an app that has answered. */
function useReturn() {
  useEffect(() => {
    const shown = ({ persisted }: PageTransitionEvent) => persisted && location.reload()
    addEventListener('pageshow', shown)
    return () => removeEventListener('pageshow', shown)
  }, [])
}

function Opened({ name }: { name: AppName }) {
  const { t } = useText()
  const { data, error, refetch } = useQuery({
    queryKey: ['session', name.session, 'app'],
    queryFn: ({ signal }) => call<Session>('GET', `/v1/sessions/${part(name.session)}`, { signal }),
    staleTime: Infinity,
  })
  const again = useCallback(() => void refetch(), [refetch])
  if (!data) return error ? <AppProblem error={error} retry={again} /> : <Loading />
  if (data.status !== 'RUNNING')
    return <UntilRunning session={data} icon="apps" hint={t('app.starts.hint')} runs={again} />
  const named = { session: data.id, app: name.app }
  if (isPort(name.app))
    return <EnteringApp name={named} title={t('apps.port-of', { port: name.app })} of={data.name} />
  return <Declared name={named} of={data.name} />
}

function Declared({ name, of }: { name: AppName; of: string }) {
  const { data, error, refetch } = useApps(name.session)
  if (!data) return error ? <AppProblem error={error} retry={() => void refetch()} /> : <Loading />
  const app = data.items.find((one) => one.name === name.app)
  if (!app) return <AppRefused why="unknown-app" declared={data.items} />
  if (!isShown(app)) return <AppRefused why="not-shown" declared={data.items} />
  return isStarted(app) ? (
    <StartingApp name={name} title={app.title} of={of} />
  ) : (
    <EnteringApp name={name} title={app.title} of={of} />
  )
}
