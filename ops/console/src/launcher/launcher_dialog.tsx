import { useEffect, useState } from 'react'
import { Modal } from '@mantine/core'
import type { Session } from '../api/schema.gen'
import { terminalHash } from '../terminal/terminal_address'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { ProblemText } from '../ui/page_state'
import { useNarrow } from '../ui/use_narrow'
import { AppItem } from './app_item'
import { EndApp } from './end_app'
import { PortForm } from './port_form'
import { isShown, type SessionApp } from './session_app'
import { useApps } from './use_apps'
import '../launch/launch.css'
import './launcher.css'

type Props = { session: Session; close: () => void }

/** The apps of a session; each opens in a window of its own. */
export default function LauncherDialog({ session, close }: Props) {
  const { t } = useText()
  useFocusBack()
  const [ending, setEnding] = useState<SessionApp | null>(null)
  const title = ending ? t('apps.end-title', { app: ending.title }) : t('apps.title', { name: session.name })
  return (
    <Modal opened onClose={close} title={title} size={520} fullScreen={useNarrow()}>
      {ending ? (
        <EndApp session={session.id} app={ending} back={() => setEnding(null)} />
      ) : (
        <Apps session={session} close={close} end={setEnding} />
      )}
    </Modal>
  )
}

/** To what was pressed, such as a row's icon. */
function useFocusBack() {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus()
    },
    [before],
  )
}

function Apps({ session, close, end }: Props & { end: (app: SessionApp) => void }) {
  const { t } = useText()
  const { data, error } = useApps(session.id, { follow: true })
  const items = data?.items ?? []
  const others = items.filter((app) => !isShown(app))
  return (
    <div className="stack">
      <ul className="apps">
        {items.filter(isShown).map((app) => (
          <AppItem key={app.name} session={session.id} app={app} close={close} end={() => end(app)} />
        ))}
        <li className="apps-item">
          <a
            className="apps-open"
            href={terminalHash({ session: session.id })}
            target="_blank"
            rel="noopener"
            onClick={close}
          >
            <Icon name="terminal" />
            {t('session.console')}
          </a>
        </li>
      </ul>
      {data && items.length === 0 && <p className="muted said">{t('apps.none')}</p>}
      {!data && !error && (
        <p className="muted said" role="status">
          {t('state.loading')}
        </p>
      )}
      <ProblemText error={error} />
      {others.length > 0 && (
        <p className="muted said">
          {t('apps.others', {
            names: others.map(({ name, protocol }) => `${name} (${protocol})`).join(', '),
          })}
        </p>
      )}
      {data && <PortForm session={session.id} close={close} />}
    </div>
  )
}
