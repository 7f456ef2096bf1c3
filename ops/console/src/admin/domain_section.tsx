import { useState } from 'react'
import { call, part } from '../api/client'
import { may, type Domain } from '../api/identity'
import { useMe } from '../app/account_context'
import { useText } from '../text/text'
import { EditDialog } from '../ui/edit_dialog'
import { RowActions } from '../ui/row_actions'
import type { Column } from '../ui/virtual_table'
import { AdminTable } from './admin_table'
import { RemoveDialog } from './remove_dialog'

type Doing = { kind: 'add' } | { kind: 'edit' | 'remove'; domain: Domain }

export default function DomainSection() {
  const { t } = useText()
  const me = useMe()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const columns: Column<Domain>[] = [
    {
      key: 'name',
      title: t('admin.name'),
      width: 'minmax(140px, 1fr)',
      card: 'head',
      render: ({ name }) => name,
    },
    {
      key: 'display',
      title: t('admin.display-name'),
      width: 'minmax(140px, 1fr)',
      card: 'detail',
      render: ({ display_name }) => display_name || '–',
    },
    {
      key: 'users',
      title: t('admin.users'),
      width: '80px',
      right: true,
      card: 'detail',
      titled: true,
      render: ({ users }) => users,
    },
    {
      key: 'projects',
      title: t('admin.projects'),
      width: '80px',
      right: true,
      card: 'detail',
      titled: true,
      render: ({ projects }) => projects,
    },
    {
      key: 'sessions',
      title: t('nav.sessions'),
      width: '80px',
      right: true,
      card: 'detail',
      titled: true,
      render: ({ sessions }) => sessions,
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '70px',
      right: true,
      card: 'side',
      render: (domain) =>
        may(me, 'domain', 'change') && (
          <RowActions
            name={domain.name}
            actions={[
              { icon: 'edit', label: t('action.edit'), act: () => setDoing({ kind: 'edit', domain }) },
              {
                icon: 'remove',
                label: t('action.remove'),
                danger: true,
                act: () => setDoing({ kind: 'remove', domain }),
              },
            ]}
          />
        ),
    },
  ]
  return (
    <>
      <AdminTable
        table="domains"
        label={t('admin.domains')}
        keyOf={({ name }) => name}
        columns={columns}
        add={
          may(me, 'domain', 'create')
            ? { label: t('domain.add'), open: () => setDoing({ kind: 'add' }) }
            : undefined
        }
      />
      {doing?.kind === 'add' && (
        <EditDialog
          title={t('domain.add')}
          fields={[
            { name: 'name', label: t('admin.name'), required: true, hint: t('admin.name-hint') },
            { name: 'display_name', label: t('admin.display-name') },
          ]}
          action={t('action.add')}
          submit={({ name, display_name }, reason) =>
            call('POST', '/v1/domains', { body: { name, display_name }, query: { reason } })
          }
          close={close}
        />
      )}
      {doing?.kind === 'edit' && (
        <EditDialog
          title={t('domain.edit', { name: doing.domain.name })}
          fields={[{ name: 'display_name', label: t('admin.display-name') }]}
          initial={{ display_name: doing.domain.display_name }}
          action={t('action.save')}
          submit={({ display_name }, reason) =>
            call('PATCH', `/v1/domains/${part(doing.domain.name)}`, {
              body: { display_name },
              query: { reason },
            })
          }
          close={close}
        />
      )}
      {doing?.kind === 'remove' && (
        <RemoveDialog
          removal={{
            kind: 'domain',
            id: doing.domain.name,
            name: doing.domain.name,
            path: `/v1/domains/${part(doing.domain.name)}`,
          }}
          close={close}
        />
      )}
    </>
  )
}
