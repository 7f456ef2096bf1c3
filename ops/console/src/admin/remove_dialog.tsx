import { call, type Query } from '../api/client'
import { useTable } from '../live/use_live'
import { useText } from '../text/text'
import { EditDialog, type Field } from '../ui/edit_dialog'
import { holdersOf, liveSessionsOf, type Removal } from './removal'

const NAMED = 8
const EFFECTS = { limit: 'remove.effect-limit', image: 'remove.effect-image' } as const

/** Says what a removal does and what it would be refused for; sessions can be ended with it, but for an image's. */
export function RemoveDialog({ removal, close }: { removal: Removal; close: () => void }) {
  const { t } = useText()
  const { kind, name, path } = removal
  const known = {
    sessions: useTable('sessions').rows.values(),
    agents: useTable('agents').rows.values(),
    users: useTable('users').rows.values(),
    projects: [...useTable('projects').rows.values()],
  }
  const holders = holdersOf(removal, known)
  const sessions = liveSessionsOf(removal, known)
  const offersEnd = sessions > 0 && holders.length === 0 && kind !== 'image'
  const fields: Field[] = offersEnd
    ? [{ name: 'end', label: t('remove.end-sessions', { n: sessions }), kind: 'check' }]
    : []
  const query = (end: boolean, reason: string): Query => ({ reason, ...(end && { end_sessions: true }) })
  const effect = kind === 'limit' || kind === 'image' ? EFFECTS[kind] : ('remove.effect' as const)
  return (
    <EditDialog
      title={t(`remove.title.${kind}`, { name })}
      fields={fields}
      action={t('action.remove')}
      danger
      effect={() => (
        <>
          {holders.map(({ title, names }) => (
            <p key={title} className="said state-wait">
              {t('remove.held', { what: t(title), names: names.slice(0, NAMED).join(', ') })}
              {names.length > NAMED && ` ${t('terminate.more', { n: names.length - NAMED })}`}
            </p>
          ))}
          {sessions > 0 && <p className="said state-wait">{t('remove.lives', { n: sessions })}</p>}
          <p className="said">{t(effect, { name })}</p>
        </>
      )}
      blocked={({ end }) => holders.length > 0 || (sessions > 0 && end !== 'yes')}
      submit={(values, reason) => call('DELETE', path, { query: query(values.end === 'yes', reason) })}
      close={close}
    />
  )
}
