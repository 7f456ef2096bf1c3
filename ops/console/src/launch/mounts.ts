import type { SessionRequest } from '../api/schema.gen'
import type { Me } from '../api/identity'
import { mayWrite, referenceOf, type Folder } from '../storage/folder'

/** A folder to mount, as the dialog holds it. `folder`: as the request names it. An empty target is the folder's name. */
export type MountLine = {
  id: string
  folder: string
  name: string
  target: string
  readOnly: boolean
  /** The caller may only read it. */
  forced: boolean
}

export type Mount = { folder: string; target?: string | null; read_only?: boolean | null }
/** What a session is asked for, with what it mounts. */
export type MountingRequest = SessionRequest & { mounts?: Mount[] }

/** What a session shows of its mounts. A folder without a name is gone. */
export type SessionMount = { folder: { id: string; name: string | null }; target: string; read_only: boolean }

export const MOST_MOUNTS = 16
export const HOME = '/home/work'

export function lineOf(folder: Folder, all: readonly Folder[], me: Me): MountLine {
  const forced = !mayWrite(folder)
  const { id, name } = folder
  return { id, name, folder: referenceOf(folder, all, me), target: '', readOnly: forced, forced }
}

const targetOf = ({ target, name }: MountLine) => target.trim() || name

/** What is wrong with the lines, as a text's key; null where nothing is. */
export function mountError(lines: readonly MountLine[]) {
  const targets = lines.map(targetOf)
  if (targets.some((target) => !/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(target)))
    return 'launch.bad-target' as const
  return new Set(targets).size < targets.length ? ('launch.same-target' as const) : null
}

/** The target is said wherever the request does not name the folder by it. */
export function mountsOf(lines: readonly MountLine[]): Mount[] {
  return lines.map((line) => ({
    folder: line.folder,
    ...(targetOf(line) !== line.folder && { target: targetOf(line) }),
    ...((line.readOnly || line.forced) && { read_only: true }),
  }))
}
