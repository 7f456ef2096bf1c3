import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import { may, type Me } from '../api/identity'
import type { TextKey } from '../text/en'
import type { IconName } from '../ui/icons'

export type Route = {
  name: string
  title: TextKey
  icon: IconName
  page: LazyExoticComponent<ComponentType>
  open: (me: Me) => boolean
}

const administers = (me: Me) =>
  may(me, 'user', 'see') && (me.role !== 'user' || me.projects.some((project) => project.admin))

/** Every page, in the order of the navigation; each comes as a chunk of its own. */
export const ROUTES: Route[] = [
  {
    name: 'sessions',
    title: 'nav.sessions',
    icon: 'sessions',
    page: lazy(() => import('../session/session_page')),
    open: () => true,
  },
  {
    name: 'agents',
    title: 'nav.agents',
    icon: 'agents',
    page: lazy(() => import('../agent/agent_page')),
    open: () => true,
  },
  {
    name: 'queue',
    title: 'nav.queue',
    icon: 'queue',
    page: lazy(() => import('../queue/queue_page')),
    open: () => true,
  },
  {
    name: 'events',
    title: 'nav.events',
    icon: 'events',
    page: lazy(() => import('../event/event_page')),
    open: (me) => may(me, 'event', 'see'),
  },
  {
    name: 'admin',
    title: 'nav.admin',
    icon: 'admin',
    page: lazy(() => import('../admin/admin_page')),
    open: administers,
  },
  {
    name: 'account',
    title: 'nav.account',
    icon: 'account',
    page: lazy(() => import('../account/account_page')),
    open: () => true,
  },
]
