import { useId, useState } from 'react'
import { useText, type Translate } from '../text/text'
import { Icon } from '../ui/icons'
import { appHref } from './app_address'
import { OrderForm } from './order_form'
import { isStarted, runs, type SessionApp } from './session_app'

type Props = { session: string; app: SessionApp; close: () => void; end: () => void }

/** An app to open, and behind "more" what to start it with or, while it runs, its end. */
export function AppItem({ session, app, close, end }: Props) {
  const { t } = useText()
  const [more, setMore] = useState(false)
  const id = useId()
  const { name, title } = app
  return (
    <li className="apps-item">
      <a
        className="apps-open"
        href={appHref({ session, app: name })}
        target="_blank"
        rel="noopener"
        onClick={close}
      >
        <Icon name="apps" />
        {title}
      </a>
      <span className="muted">{stateText(app, t)}</span>
      {isStarted(app) && (
        <button
          type="button"
          className="quiet"
          aria-expanded={more}
          aria-controls={id}
          aria-label={t('apps.more-of', { app: title })}
          onClick={() => setMore(!more)}
        >
          <Icon name={more ? 'down' : 'right'} size={12} />
          {t('apps.more')}
        </button>
      )}
      {more && (
        <div id={id} className="apps-more">
          <OrderForm session={session} app={app} close={close} end={end} />
        </div>
      )}
    </li>
  )
}

function stateText(app: SessionApp, t: Translate): string {
  if (runs(app)) return t(app.state === 'ready' ? 'apps.ready' : 'apps.starting')
  if (app.state !== 'ended') return ''
  const { signal = 0, exit_code: code = 0 } = app
  return signal > 0 ? t('apps.killed', { n: signal }) : t('apps.ended', { code })
}
