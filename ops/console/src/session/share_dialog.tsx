import { call, part } from '../api/client'
import type { Session } from '../api/schema.gen'
import { useText } from '../text/text'
import { SharesDialog } from '../ui/shares_dialog'

/** With whom a session is shared; its row tells of each change. */
export default function ShareDialog({ session, close }: { session: Session; close: () => void }) {
  const { t } = useText()
  return (
    <SharesDialog
      title={t('session.share-of', { name: session.name })}
      list={t('storage.shared')}
      effect={t('session.share-effect')}
      shares={session.shares ?? []}
      domain={session.owner.domain}
      hasAccess={false}
      change={async ({ user, project, withdraw }) => {
        const body = { ...(user === undefined ? { project } : { user }), withdraw }
        await call('PUT', `/v1/sessions/${part(session.id)}/shares`, { body })
      }}
      close={close}
    />
  )
}
