import { mayOn, reachOf, type Me } from '../api/identity'
import { part } from '../api/client'
import type { Translate } from '../text/text'
import { byName } from '../ui/by_name'

/** What /v1/folders and /v1/volumes answer. */
export type FolderState = 'CREATING' | 'READY' | 'FAILED' | 'TRASHED' | 'PURGING'
export type Access = 'own' | 'write' | 'read' | 'none'
export type Share = { user?: string; project?: string; access: 'read' | 'write' }

export type Folder = {
  id: string
  name: string
  /** Either a person's or a project's. */
  owner: { domain: string; user?: string; project?: string }
  /** Made by Berth for its owner's sessions: neither renamed, shared nor mounted elsewhere. */
  automatic?: boolean
  volume: { id: string; name: string | null }
  state: FolderState
  created_at: string | null
  /** When one in the trash is removed for good. */
  purge_at?: string | null
  /** Why it could not be made or removed. */
  code?: string
  message?: string
  /** The caller's, to its files. */
  access: Access
  /** Absent for those who may not change it. */
  shares?: Share[]
  /** Those that mount it, live and the caller's to see. */
  sessions: { id: string; name: string }[]
}

export type Volume = { id: string; name: string; agents: string[]; available: boolean }

export const folderPath = ({ id }: Pick<Folder, 'id'>) => `/v1/folders/${part(id)}`

export const isInTrash = ({ state }: Folder) => state === 'TRASHED' || state === 'PURGING'

/** An agent has something to do for it: its state changes soon. */
export const isMoving = ({ state }: Folder) => state === 'CREATING' || state === 'PURGING'

export const mayRead = ({ access }: Folder) => access !== 'none'
export const mayWrite = ({ access }: Folder) => access === 'own' || access === 'write'

/** Renaming, sharing and restoring are `change`, the trash and what is behind it `end`; the server has the last word. */
export function manages(me: Me, verb: 'change' | 'end', { access, owner }: Folder): boolean {
  if (access === 'own') return true
  const { domain, project = '', user } = owner
  return reachOf(me, 'folder', verb) !== 'own' && mayOn(me, 'folder', verb, { domain, project, user })
}

export function ownerText({ automatic, owner }: Folder, me: Me, t: Translate): string {
  if (owner.project) return t('storage.of-project', { project: owner.project })
  const whose = owner.user === me.user ? t('storage.mine') : (owner.user ?? '')
  return automatic ? t('storage.automatic', { owner: whose }) : whose
}

export const byFolderName = (a: Folder, b: Folder) => byName(a.name, b.name) || byName(a.id, b.id)

/** Folders that a session of the caller's can mount. */
export const mountable = (folders: readonly Folder[]) =>
  folders
    .filter((folder) => folder.state === 'READY' && !folder.automatic && mayRead(folder))
    .sort(byFolderName)

/** How a request names a folder: by its name where that means this one alone, as the server reads names; else by its id. */
export function referenceOf(folder: Folder, all: readonly Folder[], me: Me): string {
  const looksLikeId = /^[0-9a-f]{32}$/i.test(folder.name)
  const same = all.filter((one) => one.name === folder.name && !isInTrash(one))
  const own = same.filter(({ owner }) => owner.user === me.user)
  const meant = own.length > 0 ? own : same.filter(mayRead)
  return !looksLikeId && meant.length === 1 && meant[0]?.id === folder.id ? folder.name : folder.id
}
