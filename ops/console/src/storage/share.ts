import type { Translate } from '../text/text'
import type { Share } from './folder'

/** The name of a person or a project that a folder is shared with. A project comes as NAME or DOMAIN/NAME. */
export const nameOfShare = ({ user, project }: Share) => user ?? project ?? ''

export const sharesText = (shares: readonly Share[], t: Translate) =>
  shares
    .map((share) =>
      share.access === 'read' ? `${nameOfShare(share)} (${t('access.read')})` : nameOfShare(share),
    )
    .join(', ')
