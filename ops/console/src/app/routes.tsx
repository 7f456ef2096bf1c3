import { lazy, useState, type ComponentType } from 'react'
import { may, type Me } from '../api/identity'
import type { TextKey } from '../text/en'
import type { IconName } from '../ui/icons'

type Load = () => Promise<{ default: ComponentType }>

export type Route = {
  name: string
  title: TextKey
  icon: IconName
  load: () => Promise<void>
  Page: ComponentType
  open: (me: Me) => boolean
  /** Shows any moment; others are of now alone, or choose their times themselves. */
  hasPast: boolean
}

const anybody = () => true
const administers = (me: Me) =>
  may(me, 'user', 'see') && (me.role !== 'user' || me.projects.some((project) => project.admin))

const operates = (me: Me) => may(me, 'metrics', 'see')

function route(
  name: IconName & string,
  load: Load,
  open: (me: Me) => boolean = anybody,
  hasPast = true,
): Route {
  return { name, title: `nav.${name}` as TextKey, icon: name, open, hasPast, ...chunk(load) }
}

/** A page's chunk. Once it is loaded the page is drawn at once: `lazy` alone would show what stands in for it first. */
function chunk(load: Load): Pick<Route, 'load' | 'Page'> {
  let loaded: ComponentType | null = null
  const Lazy = lazy(load)
  return {
    load: async () => {
      loaded = (await load()).default
    },
    Page: () => {
      const [Now] = useState<ComponentType>(() => loaded ?? Lazy)
      return <Now />
    },
  }
}

/** The page that puts others into the past; it stays as it is when one goes there. */
export const TIME = 'time'

/** Every page, in the order of the navigation; each comes as a chunk of its own. */
export const ROUTES: Route[] = [
  route('sessions', () => import('../session/session_page')),
  route(
    'storage',
    () => import('../storage/storage_page'),
    (me) => may(me, 'folder', 'see'),
  ),
  route('agents', () => import('../agent/agent_page')),
  route('queue', () => import('../queue/queue_page')),
  route(
    'events',
    () => import('../event/event_page'),
    (me) => may(me, 'event', 'see'),
  ),
  route(TIME, () => import('../time/time_page')),
  route('usage', () => import('../usage/usage_page'), anybody, false),
  route('operations', () => import('../operations/operations_page'), operates, false),
  route('admin', () => import('../admin/admin_page'), administers),
  route('account', () => import('../account/account_page'), anybody, false),
]

/** The first part of the place of a terminal, which has a window of its own. */
export const TERMINAL = 'terminal'
export const loadTerminal = () => import('../terminal/terminal_page')

/** The page of an app's window has a path of its own: see `appNameOf`. */
export const loadApp = () => import('../launcher/app_page')

/** The first part of a place names its page; a place without one is Sessions. */
export const routeOf = (path: string[]) => ROUTES.find(({ name }) => name === (path[0] ?? 'sessions'))
