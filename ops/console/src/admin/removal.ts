import type { Agent, Session } from '../api/schema.gen'
import type { Project, User } from '../api/identity'
import { hasEnded } from '../live/tables'

export type Kind = 'user' | 'project' | 'domain' | 'group' | 'limit' | 'preset' | 'image'

/** What is to be removed. `id`: as the server names it, a project's with its domain. */
export type Removal = { kind: Kind; id: string; name: string; path: string }

export type Known = {
  sessions: Iterable<Session>
  agents: Iterable<Agent>
  users: Iterable<User>
  projects: Iterable<Project>
}

type Holders = { title: 'nav.agents' | 'project.members' | 'admin.users' | 'admin.projects'; names: string[] }

const USES: Partial<Record<Kind, (session: Session, id: string) => boolean>> = {
  user: ({ owner }, id) => owner.user === id,
  project: ({ owner }, id) => `${owner.domain}/${owner.project}` === id,
  domain: ({ owner }, id) => owner.domain === id,
  group: ({ group }, id) => group === id,
  image: ({ image, roles }, id) => image === id || roles.some((role) => role.image === id),
}

/** How many sessions that have not ended use it. */
export function liveSessionsOf({ kind, id }: Removal, { sessions }: Known): number {
  const uses = USES[kind]
  return uses ? [...sessions].filter((session) => !hasEnded(session) && uses(session, id)).length : 0
}

/** What else the server refuses a removal for, by name: nothing ends it along with what is removed. */
export function holdersOf({ kind, id }: Removal, { agents, users, projects }: Known): Holders[] {
  const holders: Holders[] = []
  const add = (title: Holders['title'], names: string[]) => {
    if (names.length > 0) holders.push({ title, names: names.sort() })
  }
  if (kind === 'group')
    add(
      'nav.agents',
      namesOf(agents, ({ group }) => group === id),
    )
  if (kind === 'project') {
    const project = [...projects].find(({ domain, name }) => `${domain}/${name}` === id)
    add('project.members', project?.members?.map(({ user }) => user) ?? [])
  }
  if (kind === 'domain') {
    add(
      'admin.users',
      namesOf(users, ({ domain }) => domain === id),
    )
    add(
      'admin.projects',
      namesOf(projects, ({ domain }) => domain === id),
    )
  }
  return holders
}

const namesOf = <T extends { name: string }>(rows: Iterable<T>, holds: (row: T) => boolean) =>
  [...rows].filter(holds).map(({ name }) => name)
