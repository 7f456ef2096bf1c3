import { placesText } from '../admin/members'
import { useMe } from '../app/account_context'
import { useText } from '../text/text'
import { BrowserSessions } from './browser_sessions'
import { KeyList } from './key_list'
import { PasswordForm } from './password_form'
import './account.css'

/** Oneself: who one is here, password, keys, browser sessions. */
export default function AccountPage() {
  const { t } = useText()
  const me = useMe()
  return (
    <section className="page page-long">
      <div className="page-head">
        <h1>{me.display_name || me.user}</h1>
        <span className="muted">
          {t('account.who', { user: me.user, role: t(`role.${me.role}`), domain: me.domain })}
        </span>
        {me.projects.length > 0 && (
          <span className="muted">{t('account.projects', { projects: placesText(me.projects, t) })}</span>
        )}
      </div>
      <KeyList />
      <BrowserSessions />
      <PasswordForm />
    </section>
  )
}
