import type { Translate } from '../text/text'
import { nameOfShared } from '../ui/shared_with'
import type { Folder, Share } from './folder'

/** Whom a folder is shared with. */
export const nameOfShare = (share: Share, { owner }: Folder) => nameOfShared(share, owner.domain)

export const sharesText = (folder: Folder, t: Translate) =>
  (folder.shares ?? [])
    .map((share) =>
      share.access === 'read'
        ? `${nameOfShare(share, folder)} (${t('access.read')})`
        : nameOfShare(share, folder),
    )
    .join(', ')
