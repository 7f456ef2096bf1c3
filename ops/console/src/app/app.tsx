import { Suspense, lazy } from 'react'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { MantineProvider } from '@mantine/core'
import { appNameOf } from '../launcher/app_address'
import { LiveContext } from '../live/use_live'
import { Frame } from '../shell/frame'
import { Shell } from '../shell/shell'
import { theme } from '../style/theme'
import { TextProvider } from '../text/text'
import { Failed } from '../ui/page_state'
import { MeContext } from './account_context'
import { WHOAMI, live, queries, readMe } from './identity'
import { usePlace } from './router'
import { TERMINAL, loadApp, loadTerminal } from './routes'

const LoginPage = lazy(() => import('../login/login_page'))
const TerminalPage = lazy(loadTerminal)
const AppPage = lazy(loadApp)
const LinkPage = lazy(() => import('../login/link_page'))

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <TextProvider>
        <QueryClientProvider client={queries}>
          <LiveContext value={live}>
            <Suspense fallback={<Frame />}>
              <Front />
            </Suspense>
          </LiveContext>
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  )
}

/** A link's page for whoever holds one, the login for strangers, the shell for who is signed in, or a terminal or an app alone. */
function Front() {
  const place = usePlace()
  const token = place.path[0] === 'link' ? place.path[1] : undefined
  const me = useQuery({
    queryKey: WHOAMI,
    queryFn: () => readMe(),
    staleTime: Infinity,
    enabled: token === undefined,
  })
  if (token !== undefined) return <LinkPage token={token} />
  if (me.isPending) return <Frame />
  if (me.data) return <MeContext value={me.data}>{windowOf(place.path)}</MeContext>
  return me.error ? <Failed error={me.error} retry={() => void me.refetch()} /> : <LoginPage />
}

function windowOf([first]: string[]) {
  const app = appNameOf(location.pathname)
  if (app) return <AppPage name={app} />
  return first === TERMINAL ? <TerminalPage /> : <Shell />
}
