// The FAKE cluster's people: passwords in clear, rights by role. Nothing of it is meant to keep anybody out.
import { randomBytes, randomUUID } from 'node:crypto'
import { Refusal } from './cluster.mjs'

const NOUNS = [
  'session',
  'session-log',
  'agent',
  'group',
  'image',
  'preset',
  'slot-type',
  'limit',
  'quarantine',
  'event',
  'user',
  'project',
  'domain',
  'key',
  'password',
  'login-link',
  'browser-session',
  'membership',
  'cluster',
  'terminal',
  'folder',
  'volume',
  'metrics',
  'producer',
]
const VERBS = ['see', 'create', 'change', 'end', 'act']

function reach(role, noun, verb) {
  if (noun === 'terminal' || verb === 'act')
    return noun === 'terminal' && verb === 'act' && role !== 'monitor' ? 'own' : 'none'
  if ((noun === 'folder' && verb === 'create') || (['folder', 'session'].includes(noun) && verb === 'change'))
    return role === 'monitor' ? 'none' : 'own'
  if (role === 'superadmin') return 'all'
  if (role === 'monitor') return verb === 'see' ? 'all' : 'none'
  if (role === 'domain-admin')
    return ['event', 'quarantine', 'cluster', 'metrics', 'producer'].includes(noun)
      ? 'none'
      : ['agent', 'group', 'image', 'preset'].includes(noun) && verb !== 'see'
        ? 'none'
        : 'domain'
  if (['session', 'session-log', 'folder', 'key', 'password', 'browser-session'].includes(noun)) return 'own'
  return verb === 'see' && ['agent', 'group', 'image', 'preset', 'slot-type', 'limit'].includes(noun)
    ? 'own'
    : 'none'
}

export class People {
  passwords = new Map()
  links = new Map()
  cookies = new Map()

  constructor(cluster) {
    this.cluster = cluster
  }

  add({ name, domain = 'default', role = 'user', display_name = '', projects = ['default'] }) {
    if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name ?? ''))
      throw new Refusal(400, 'invalid-name', 'a name is small letters, digits, and . _ - between them', {
        place: 'name',
      })
    if (this.cluster.tables.users.has(name))
      throw new Refusal(409, 'name-in-use', `there is a user ${name}`, { place: 'name' })
    const user = {
      name,
      display_name,
      domain,
      role,
      disabled: false,
      projects: projects.map((project) => ({ project, domain, admin: false })),
      has_password: false,
      link_expires_at: null,
      sessions: 0,
    }
    this.cluster.put('users', name, user)
    return user
  }

  setPassword(name, password) {
    if (password.length < 8)
      throw new Refusal(400, 'password-too-short', 'a password has at least 8 characters', {
        place: 'password',
      })
    this.passwords.set(name, password)
    this.cluster.put('users', name, {
      ...this.cluster.tables.users.get(name),
      has_password: true,
      link_expires_at: null,
    })
  }

  makeLink(name, token = randomBytes(24).toString('base64url')) {
    const expires_at = new Date(Date.now() + 24 * 3_600_000).toISOString()
    for (const [old, link] of this.links) if (link.user === name) this.links.delete(old)
    this.links.set(token, { user: name, expires_at })
    this.cluster.put('users', name, { ...this.cluster.tables.users.get(name), link_expires_at: expires_at })
    return { token, expires_at }
  }

  link(token) {
    const link = this.links.get(token)
    if (!link)
      throw new Refusal(401, 'link-not-valid', 'this link is not valid', { hint: 'ask for a new one' })
    return link
  }

  signIn(name, client = '') {
    const id = randomUUID()
    const now = new Date().toISOString()
    this.cookies.set(id, { user: name, csrf: randomBytes(9).toString('base64url') })
    this.cluster.put('browser_sessions', id, {
      id,
      user: name,
      current: false,
      client,
      address: '127.0.0.1',
      started_at: now,
      used_at: now,
      expires_at: new Date(Date.now() + 14 * 86_400_000).toISOString(),
    })
    return id
  }

  login(name, password) {
    const user = this.cluster.tables.users.get(name)
    if (!user || user.disabled || this.passwords.get(name) !== password)
      throw new Refusal(401, 'login-failed', 'user or password is wrong')
  }

  me(id) {
    const session = this.cookies.get(id)
    const user = session && this.cluster.tables.users.get(session.user)
    if (!user || user.disabled) return null
    const rights = Object.fromEntries(
      NOUNS.flatMap((noun) => VERBS.map((verb) => [`${noun}.${verb}`, reach(user.role, noun, verb)])),
    )
    return {
      user: user.name,
      display_name: user.display_name,
      role: user.role,
      domain: user.domain,
      projects: user.projects,
      key: null,
      read_only: false,
      browser_session: id,
      csrf: session.csrf,
      cluster: 'fake',
      version: '0.0.0-fake',
      rights,
    }
  }
}

/** A row as this person sees it: of an agent, the kernels of sessions that are theirs to see. */
export function shownTo(me, table, row) {
  if (table === 'sessions' && row)
    return { ...row, shared: isSharedWith(me, row), shares: seesByRight(me, row) ? row.shares : null }
  if (table !== 'agents' || !row || me.role === 'superadmin' || me.role === 'monitor') return row
  return { ...row, kernels: row.kernels.filter(({ user }) => user === me.user) }
}

/** Whether its owner shares the session with this person. */
export const isSharedWith = (me, { owner, shares }) =>
  owner.user !== me.user &&
  shares.some(
    ({ user, project }) =>
      user === me.user || me.projects.some((one) => `${one.domain}/${one.project}` === project),
  )

const seesByRight = (me, { owner }) =>
  me.role === 'superadmin' ||
  me.role === 'monitor' ||
  owner.user === me.user ||
  (me.role === 'domain-admin' && owner.domain === me.domain)

/** Whether a row is for this person to see. */
export function sees(me, table, row) {
  if (me.role === 'superadmin' || me.role === 'monitor') return true
  if (table === 'sessions') return seesByRight(me, row) || isSharedWith(me, row)
  if (table === 'keys' || table === 'browser_sessions') return row.user === me.user
  if (table === 'users' || table === 'projects' || table === 'domains')
    return me.role === 'domain-admin' && (row.domain ?? row.name) === me.domain
  if (table === 'limits') return row.id === me.user || row.id === me.domain
  return true
}
