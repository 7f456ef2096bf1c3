import { call, type Query } from '../api/client'
import { useText } from '../text/text'
import { EditDialog, type Field } from '../ui/edit_dialog'

/** `ends`: what lives there can be ended with it; else the server refuses and names it. */
type Removal = { noun: string; name: string; path: string; sessions?: number; ends?: boolean }

export function RemoveDialog({ removal, close }: { removal: Removal; close: () => void }) {
  const { t } = useText()
  const { noun, name, path, sessions = 0, ends } = removal
  const fields: Field[] = ends
    ? [{ name: 'end', label: t('remove.end-sessions', { n: sessions }), kind: 'check' }]
    : []
  const query = (end: boolean, reason: string): Query => ({ reason, ...(end && { end_sessions: true }) })
  return (
    <EditDialog
      title={t('remove.title', { noun, name })}
      fields={fields}
      action={t('action.remove')}
      danger
      effect={() => (
        <p className="said">
          {t('remove.effect')} {sessions > 0 && t('remove.lives', { n: sessions })}
        </p>
      )}
      submit={(values, reason) => call('DELETE', path, { query: query(values.end === 'yes', reason) })}
      close={close}
    />
  )
}
