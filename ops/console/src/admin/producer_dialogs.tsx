import { call, part } from '../api/client'
import { useText } from '../text/text'
import { EditDialog, type Field, type Values } from '../ui/edit_dialog'
import { OnceDialog } from '../ui/once_dialog'
import { newToken, ownerText, ownersOf, wordsOf } from './producer_token'

export type Producer = {
  name: string
  display_name: string
  generation: number
  requests: string[]
  owners: { scope: string; id: string }[]
  disabled: boolean
  created_at: string
  made_by: string
  token_expires_at: string | null
}

export type Doing =
  | { kind: 'add' }
  | { kind: 'edit' | 'rotate' | 'remove'; producer: Producer }
  | { kind: 'token'; name: string; token: string }

type Props = { doing: Doing; set: (doing: Doing | null) => void; again: () => void }

const pathOf = (name: string) => `/v1/producers/${part(name)}`

/** Adds one, changes what it may do, gives it another key, or takes its key away. */
export function ProducerDialogs({ doing, set, again }: Props) {
  const { t } = useText()
  const scope = useFields()
  const close = () => set(null)
  const done = () => {
    again()
    close()
  }
  const withToken = async (path: string, name: string, body: object, reason: string) => {
    const { token, ...told } = newToken()
    await call('POST', path, { body: { ...body, ...told }, query: { reason } })
    again()
    set({ kind: 'token', name, token })
  }
  if (doing.kind === 'token')
    return (
      <OnceDialog
        title={t('producer.token-of', { name: doing.name })}
        hint={t('producer.token-hint')}
        secrets={[{ label: t('producer.token'), text: doing.token }]}
        close={close}
      />
    )
  if (doing.kind === 'add')
    return (
      <EditDialog
        title={t('producer.add')}
        fields={[
          { name: 'name', label: t('admin.name'), required: true, hint: t('admin.name-hint') },
          ...scope,
        ]}
        action={t('action.add')}
        effect={() => null}
        submit={({ name = '', ...values }, reason) =>
          withToken('/v1/producers', name, { name, ...scopeOf(values) }, reason)
        }
        close={close}
        done={stay}
      />
    )
  const { producer } = doing
  if (doing.kind === 'edit') return <Edit producer={producer} close={close} done={done} />
  if (doing.kind === 'rotate')
    return (
      <EditDialog
        title={t('producer.rotate-of', { name: producer.name })}
        fields={[]}
        action={t('producer.rotate')}
        effect={() => <p className="said">{t('producer.rotate-effect')}</p>}
        submit={(_, reason) => withToken(`${pathOf(producer.name)}/rotate`, producer.name, {}, reason)}
        close={close}
        done={stay}
      />
    )
  return (
    <EditDialog
      title={t('producer.revoke-of', { name: producer.name })}
      fields={[]}
      danger
      action={t('producer.revoke')}
      effect={() => <p className="said">{t('producer.revoke-effect')}</p>}
      submit={(_, reason) => call('DELETE', pathOf(producer.name), { query: { reason } })}
      close={close}
      done={done}
    />
  )
}

/** The dialog that follows is there already. */
const stay = () => {}

function Edit({ producer, close, done }: { producer: Producer; close: () => void; done: () => void }) {
  const { t } = useText()
  return (
    <EditDialog
      title={t('producer.edit', { name: producer.name })}
      fields={[
        ...useFields(),
        { name: 'disabled', label: t('user.disabled'), kind: 'check', hint: t('producer.disabled-hint') },
      ]}
      initial={{
        display_name: producer.display_name,
        requests: producer.requests.join('\n'),
        owners: producer.owners.map(ownerText).join('\n'),
        disabled: producer.disabled ? 'yes' : '',
      }}
      action={t('action.save')}
      submit={(values, reason) =>
        call('PATCH', pathOf(producer.name), {
          body: { ...scopeOf(values), disabled: values.disabled === 'yes' },
          query: { reason },
        })
      }
      close={close}
      done={done}
    />
  )
}

function useFields(): Field[] {
  const { t } = useText()
  return [
    { name: 'display_name', label: t('admin.display-name') },
    {
      name: 'requests',
      label: t('producer.requests'),
      kind: 'lines',
      required: true,
      hint: t('producer.requests-hint'),
    },
    {
      name: 'owners',
      label: t('producer.owners'),
      kind: 'lines',
      required: true,
      hint: t('producer.owners-hint'),
    },
  ]
}

const scopeOf = ({ display_name = '', requests = '', owners = '' }: Values) => ({
  display_name,
  requests: wordsOf(requests),
  owners: ownersOf(owners),
})
