import { Suspense, lazy, type ComponentType, type LazyExoticComponent } from 'react'
import { may } from '../api/identity'
import { useMe } from '../app/account_context'
import { hashOf, usePlace } from '../app/router'
import { useText } from '../text/text'
import { Denied, Loading, NoSuchPage } from '../ui/page_state'
import './admin.css'

type Section = { noun: string; page: LazyExoticComponent<ComponentType> }

const SECTIONS = {
  users: { noun: 'user', page: lazy(() => import('./user_section')) },
  projects: { noun: 'project', page: lazy(() => import('./project_section')) },
  domains: { noun: 'domain', page: lazy(() => import('./domain_section')) },
  groups: { noun: 'group', page: lazy(() => import('./group_section')) },
  limits: { noun: 'limit', page: lazy(() => import('./limit_section')) },
  presets: { noun: 'preset', page: lazy(() => import('./preset_section')) },
  images: { noun: 'image', page: lazy(() => import('./image_section')) },
  producers: { noun: 'producer', page: lazy(() => import('./producer_section')) },
  quarantine: { noun: 'quarantine', page: lazy(() => import('./quarantine_section')) },
} satisfies Record<string, Section>

type SectionName = keyof typeof SECTIONS
const NAMES = Object.keys(SECTIONS) as SectionName[]

export default function AdminPage() {
  const { t } = useText()
  const me = useMe()
  const place = usePlace()
  const open = NAMES.filter((name) => may(me, SECTIONS[name].noun, 'see'))
  const named = NAMES.find((one) => one === (place.path[1] ?? 'users'))
  const name = open.find((one) => one === named)
  const Page = name && SECTIONS[name].page
  return (
    <section className="page">
      <div className="page-head">
        <h1>{t('nav.admin')}</h1>
        <nav className="sections" aria-label={t('nav.admin')}>
          {open.map((one) => (
            <a key={one} href={hashOf(['admin', one])} aria-current={one === name ? 'page' : undefined}>
              {t(`admin.${one}`)}
            </a>
          ))}
        </nav>
      </div>
      <Suspense fallback={<Loading />}>{Page ? <Page /> : named ? <Denied /> : <NoSuchPage />}</Suspense>
    </section>
  )
}
