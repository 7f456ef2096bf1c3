import { useState } from 'react'
import { Button } from '@mantine/core'
import { call, part } from '../api/client'
import type { Key } from '../api/identity'
import { useMe } from '../app/account_context'
import { useReadAgain, useTable } from '../live/use_live'
import { useText } from '../text/text'
import { EditDialog, type Values } from '../ui/edit_dialog'
import { Icon } from '../ui/icons'
import { OnceDialog } from '../ui/once_dialog'
import { Failed, Loading } from '../ui/page_state'
import { PlainTable } from '../ui/plain_table'
import { timeColumn } from '../ui/time_column'
import { Card } from './card'

type Doing = { kind: 'add' } | { kind: 'shown'; id: string; secret: string } | { kind: 'remove'; key: Key }

/** One's own key pairs, for scripts and the command line. */
export function KeyList() {
  const { t } = useText()
  const me = useMe()
  const { rows, loaded, failure } = useTable('keys')
  const readAgain = useReadAgain('keys')
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const keys = [...rows.values()].filter(({ user }) => user === me.user)
  return (
    <Card
      title={t('account.keys')}
      act={
        <Button
          variant="default"
          leftSection={<Icon name="add" size={14} />}
          onClick={() => setDoing({ kind: 'add' })}
        >
          {t('key.add')}
        </Button>
      }
    >
      {failure ? (
        <Failed error={failure} retry={readAgain} />
      ) : !loaded ? (
        <Loading />
      ) : keys.length === 0 ? (
        <p className="muted said">{t('key.none')}</p>
      ) : (
        <KeyTable keys={keys} remove={(key) => setDoing({ kind: 'remove', key })} />
      )}
      {doing && (
        <KeyDialogs
          doing={doing}
          shown={(id, secret) => setDoing({ kind: 'shown', id, secret })}
          close={close}
        />
      )}
    </Card>
  )
}

function KeyTable({ keys, remove }: { keys: Key[]; remove: (key: Key) => void }) {
  const { t } = useText()
  return (
    <PlainTable
      label={t('account.keys')}
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        { key: 'name', title: t('admin.name'), card: 'head', render: ({ name }) => name },
        {
          key: 'id',
          title: t('key.id'),
          card: 'detail',
          render: ({ id }) => <span className="mono">{id}</span>,
        },
        { key: 'can', title: t('key.can'), card: 'detail', render: (key) => t(rightsOf(key)) },
        timeColumn<Key>('created', t('session.created'), ({ created_at }) => created_at),
        timeColumn<Key>('used', t('key.used'), ({ used_at }) => used_at),
        timeColumn<Key>('expires', t('key.expires'), ({ expires_at }) => expires_at),
        {
          key: 'act',
          title: t('session.control'),
          right: true,
          card: 'side',
          render: (key) => (
            <button
              type="button"
              className="quiet quiet-danger"
              aria-label={t('key.remove-of', { name: key.name })}
              title={t('action.remove')}
              onClick={() => remove(key)}
            >
              <Icon name="remove" size={14} />
            </button>
          ),
        },
      ]}
    />
  )
}

const rightsOf = ({ active, read_only }: Key) =>
  !active ? 'key.inactive' : read_only ? 'key.reads' : 'key.writes'

/** The dialog that follows is there already. */
const stay = () => {}

function KeyDialogs({
  doing,
  shown,
  close,
}: {
  doing: Doing
  shown: (id: string, secret: string) => void
  close: () => void
}) {
  const { t } = useText()
  if (doing.kind === 'shown')
    return (
      <OnceDialog
        title={t('key.made')}
        hint={t('key.made-hint')}
        secrets={[
          { label: t('key.id'), text: doing.id },
          { label: t('key.secret'), text: doing.secret },
        ]}
        close={close}
      />
    )
  if (doing.kind === 'remove') {
    return (
      <EditDialog
        title={t('key.remove-of', { name: doing.key.name })}
        fields={[]}
        danger
        action={t('action.remove')}
        effect={() => <p className="said">{t('key.remove-effect')}</p>}
        submit={(_, reason) => call('DELETE', `/v1/keys/${part(doing.key.id)}`, { query: { reason } })}
        close={close}
      />
    )
  }
  const submit = async ({ name, expires_in, read_only }: Values, reason: string) => {
    const body = { name, ...(expires_in && { expires_in }), read_only: read_only === 'yes' }
    const { key, secret_key } = await call<{ key: Key; secret_key: string }>('POST', '/v1/keys', {
      body,
      query: { reason },
    })
    shown(key.id, secret_key)
  }
  return (
    <EditDialog
      title={t('key.add')}
      fields={[
        { name: 'name', label: t('admin.name'), required: true, hint: t('key.name-hint') },
        { name: 'expires_in', label: t('key.expires-in'), hint: t('edit.duration-hint') },
        { name: 'read_only', label: t('key.reads'), kind: 'check' },
      ]}
      initial={{ expires_in: '90d' }}
      action={t('action.add')}
      effect={() => null}
      submit={submit}
      close={close}
      done={stay}
    />
  )
}
