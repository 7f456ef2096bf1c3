import type { Translate } from '../text/text'
import type { Folder, Share } from './folder'

/** Whom a folder is shared with: a person, or a project, which comes as DOMAIN/NAME; the folder's own domain is left out. */
export function nameOfShare({ user, project = '' }: Share, { owner }: Folder): string {
  const own = `${owner.domain}/`
  return user ?? (project.startsWith(own) ? project.slice(own.length) : project)
}

export const sharesText = (folder: Folder, t: Translate) =>
  (folder.shares ?? [])
    .map((share) =>
      share.access === 'read'
        ? `${nameOfShare(share, folder)} (${t('access.read')})`
        : nameOfShare(share, folder),
    )
    .join(', ')
