import { useMantineColorScheme } from '@mantine/core'
import { useMe } from '../app/account_context'
import { logOut } from '../app/identity'
import { hashOf, useMoment } from '../app/router'
import { ROUTES, type Route } from '../app/routes'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'

export function Navigation({ current }: { current: string }) {
  const { t } = useText()
  const me = useMe()
  return (
    <nav className="nav" aria-label={t('shell.navigation')}>
      <a
        className="brand"
        href={hashOf(['sessions'])}
        title={t('shell.cluster', { cluster: me.cluster, version: me.version })}
      >
        <span className="brand-mark" aria-hidden="true" />
        <span>Berth</span>
        <span className="brand-cluster clip">{me.cluster}</span>
      </a>
      <ul className="nav-pages">
        {ROUTES.filter((route) => route.open(me)).map((route) => (
          <li key={route.name}>
            <PageLink route={route} current={route.name === current} />
          </li>
        ))}
      </ul>
      <Person />
    </nav>
  )
}

/** Where one looks at the past, a page that has none is there still, but leads nowhere. */
function PageLink({ route, current }: { route: Route; current: boolean }) {
  const { t } = useText()
  const isGreyed = useMoment() !== '' && !route.hasPast
  return (
    <a
      className={route.name === 'account' ? 'nav-own' : undefined}
      href={isGreyed ? undefined : hashOf([route.name])}
      aria-disabled={isGreyed || undefined}
      role={isGreyed ? 'link' : undefined}
      title={isGreyed ? t('past.page-has-none') : undefined}
      aria-current={current ? 'page' : undefined}
    >
      <Icon name={route.icon} />
      {t(route.title)}
    </a>
  )
}

function Person() {
  const { t, language, setLanguage } = useText()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const me = useMe()
  const dark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  return (
    <div className="nav-person">
      <a className="nav-user clip" href={hashOf(['account'], { at: null })} title={t(`role.${me.role}`)}>
        {me.display_name || me.user}
      </a>
      <button
        type="button"
        className="quiet"
        onClick={() => setLanguage(language === 'en' ? 'ko' : 'en')}
        lang={language === 'en' ? 'ko' : 'en'}
      >
        {language === 'en' ? '한국어' : 'English'}
      </button>
      <button
        type="button"
        className="quiet"
        aria-label={t(dark ? 'shell.light' : 'shell.dark')}
        title={t(dark ? 'shell.light' : 'shell.dark')}
        onClick={() => setColorScheme(dark ? 'light' : 'dark')}
      >
        <Icon name="theme" />
      </button>
      <button
        type="button"
        className="quiet"
        aria-label={t('shell.log-out')}
        title={t('shell.log-out')}
        onClick={() => void logOut()}
      >
        <Icon name="out" />
      </button>
    </div>
  )
}
