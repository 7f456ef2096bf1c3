/** What the identity routes answer: people, and how they sign in. */
export type RoleName = 'superadmin' | 'domain-admin' | 'user' | 'monitor'
export type Membership = { project: string; domain: string; admin: boolean }

export type Me = {
  user: string
  display_name: string
  role: RoleName
  domain: string
  projects: Membership[]
  key: string | null
  read_only: boolean
  browser_session: string | null
  csrf: string
  cluster: string
  version: string
  rights: Record<string, 'none' | 'own' | 'project' | 'domain' | 'all'>
}

export type User = {
  name: string
  display_name: string
  domain: string
  role: RoleName
  disabled: boolean
  projects: Membership[]
  has_password: boolean
  link_expires_at: string | null
  sessions: number
}

export type Project = {
  domain: string
  name: string
  display_name: string
  /** Null where they are not the caller's to see. */
  members: { user: string; admin: boolean }[] | null
  sessions: number
}

export type Domain = { name: string; display_name: string; users: number; projects: number; sessions: number }

export type Key = {
  id: string
  user: string
  name: string
  active: boolean
  read_only: boolean
  created_at: string | null
  used_at: string | null
  expires_at: string | null
}

export type BrowserSession = {
  id: string
  user: string
  current: boolean
  client: string
  address: string
  started_at: string | null
  used_at: string | null
  expires_at: string | null
}

export type LoginLink = { url: string; token: string; expires_at: string }

/** Rights come as NOUN.VERB; case and hyphens of the words are no part of their meaning. */
export function reachOf(me: Me, noun: string, verb: string) {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z.]/g, '')
  const wanted = plain(`${noun}.${verb}`)
  const found = Object.entries(me.rights).find(([name]) => plain(name) === wanted)
  return found?.[1] ?? 'none'
}

export const may = (me: Me, noun: string, ...verbs: string[]) =>
  verbs.some((verb) => reachOf(me, noun, verb) !== 'none')

type Owner = { domain: string; project: string; user?: string }

/** Whether it is the caller's for what this owner has, as the server's table of rights is read; the server has the last word. */
export function mayOn(me: Me, noun: string, verb: string, owner: Owner): boolean {
  const reach = reachOf(me, noun, verb)
  const isMember = (admin: boolean) =>
    me.projects.some(
      (one) => one.project === owner.project && one.domain === owner.domain && (one.admin || !admin),
    )
  if (reach === 'none' || reach === 'all') return reach === 'all'
  if (owner.user !== undefined && owner.user === me.user) return true
  if (reach === 'own') return owner.user === undefined && isMember(false)
  return reach === 'domain' ? owner.domain === me.domain : isMember(true)
}

/** Nobody changes a role above their own. */
export function manages(me: Me, { role, domain, name }: Pick<User, 'role' | 'domain' | 'name'>): boolean {
  const isBelow = me.role === 'superadmin' || (role !== 'superadmin' && role !== 'monitor')
  return isBelow && mayOn(me, 'user', 'change', { domain, project: '', user: name })
}
