import { call } from '../api/client'
import { useText } from '../text/text'
import { SharesDialog } from '../ui/shares_dialog'
import { folderPath, type Folder } from './folder'
import { useFoldersAgain } from './use_folders'

/** With whom a folder is shared. */
export function ShareDialog({ folder, close }: { folder: Folder; close: () => void }) {
  const { t } = useText()
  const again = useFoldersAgain()
  return (
    <SharesDialog
      title={t('storage.share-of', { name: folder.name })}
      list={t('storage.shared')}
      effect={t('share.effect')}
      shares={folder.shares ?? []}
      domain={folder.owner.domain}
      hasAccess
      change={async ({ withdraw, access, ...whom }) => {
        const body = { ...whom, access: withdraw ? 'none' : access }
        await call('PUT', `${folderPath(folder)}/shares`, { body })
        await again()
      }}
      close={close}
    />
  )
}
