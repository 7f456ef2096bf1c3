import type { Agent, Group, Image, Limit, Preset, Session, SlotType } from '../api/schema.gen'
import type { Domain, Key, Project, User } from '../api/identity'

/** The tables of /v1/watch whose rows are held, with the row of each. */
export type Rows = {
  sessions: Session
  agents: Agent
  groups: Group
  images: Image
  presets: Preset
  slots: SlotType
  users: User
  projects: Project
  domains: Domain
  keys: Key
  limits: Limit
}
export type TableName = keyof Rows
export type Row = Rows[TableName]
/** Of this one the stream tells that it has changed, and no rows: whoever shows it reads it again. */
export type Topic = TableName | 'browser_sessions'

type Source = { path: string; query?: Record<string, string>; key: (row: never) => string }

const named = (row: { name: string }) => row.name
const identified = (row: { id: string }) => row.id

/** Where each table is read as a list, and what names a row in it. */
export const SOURCES: { [T in TableName]: Source & { key: (row: Rows[T]) => string } } = {
  sessions: { path: '/v1/sessions', query: { state: 'live', limit: '1000' }, key: identified },
  agents: { path: '/v1/agents', query: { limit: '1000' }, key: named },
  groups: { path: '/v1/groups', key: named },
  images: { path: '/v1/images', key: (image) => image.reference },
  presets: { path: '/v1/presets', key: named },
  slots: { path: '/v1/slots', key: named },
  users: { path: '/v1/users', key: named },
  projects: { path: '/v1/projects', key: (project) => `${project.domain}/${project.name}` },
  domains: { path: '/v1/domains', key: named },
  keys: { path: '/v1/keys', key: identified },
  limits: { path: '/v1/limits', key: (limit) => `${limit.scope}/${limit.id}` },
}
export const TABLE_NAMES = Object.keys(SOURCES) as TableName[]
export const keyOf = (table: TableName, row: Row) => (SOURCES[table].key as (row: Row) => string)(row)

const ENDS = new Set(['TERMINATED', 'CANCELLED', 'ERROR'])
export const hasEnded = (session: Pick<Session, 'status'>) => ENDS.has(session.status)
