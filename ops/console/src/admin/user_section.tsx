import { useState } from 'react'
import { call, part } from '../api/client'
import { manages, may, type LoginLink, type RoleName, type User } from '../api/identity'
import { useMe } from '../app/account_context'
import { useTable } from '../live/use_live'
import { useText, type Translate } from '../text/text'
import { EditDialog, type Field, type Values } from '../ui/edit_dialog'
import { OnceDialog } from '../ui/once_dialog'
import { RowActions } from '../ui/row_actions'
import { RelativeTime } from '../ui/time'
import type { Column } from '../ui/virtual_table'
import { AdminTable } from './admin_table'
import { placesText } from './members'
import { RemoveDialog } from './remove_dialog'

type Doing =
  | { kind: 'add' }
  | { kind: 'edit' | 'link' | 'remove'; user: User }
  | { kind: 'shown'; name: string; link: LoginLink }

/** People: made with a link that they set their password by. */
export default function UserSection() {
  const { t } = useText()
  const me = useMe()
  const [doing, setDoing] = useState<Doing | null>(null)
  return (
    <>
      <AdminTable
        table="users"
        label={t('admin.users')}
        keyOf={({ name }) => name}
        columns={columnsOf(t, setDoing, (user) => manages(me, user))}
        add={
          may(me, 'user', 'create')
            ? { label: t('user.add'), open: () => setDoing({ kind: 'add' }) }
            : undefined
        }
      />
      {doing && <UserDialogs doing={doing} setDoing={setDoing} />}
    </>
  )
}

function columnsOf(
  t: Translate,
  act: (doing: Doing) => void,
  manages: (user: User) => boolean,
): Column<User>[] {
  const actions = (user: User) => [
    { icon: 'edit' as const, label: t('action.edit'), act: () => act({ kind: 'edit', user }) },
    { icon: 'link' as const, label: t('user.link'), act: () => act({ kind: 'link', user }) },
    {
      icon: 'remove' as const,
      label: t('action.remove'),
      danger: true,
      act: () => act({ kind: 'remove', user }),
    },
  ]
  return [
    {
      key: 'name',
      title: t('admin.name'),
      width: 'minmax(120px, 1fr)',
      card: 'head',
      render: ({ name }) => name,
    },
    {
      key: 'display',
      title: t('admin.display-name'),
      width: 'minmax(120px, 1fr)',
      render: ({ display_name }) => display_name || '–',
    },
    {
      key: 'role',
      title: t('user.role'),
      width: '110px',
      card: 'detail',
      render: ({ role }) => t(`role.${role}`),
    },
    {
      key: 'domain',
      title: t('admin.domain'),
      width: 'minmax(90px, 0.6fr)',
      card: 'detail',
      titled: true,
      render: ({ domain }) => domain,
    },
    {
      key: 'projects',
      title: t('admin.projects'),
      width: 'minmax(120px, 1fr)',
      card: 'detail',
      titled: true,
      render: ({ projects }) => placesText(projects, t),
    },
    {
      key: 'state',
      title: t('user.sign-in'),
      width: '160px',
      card: 'detail',
      render: (user) => <SignIn user={user} />,
    },
    {
      key: 'sessions',
      title: t('nav.sessions'),
      width: '70px',
      right: true,
      card: 'detail',
      titled: true,
      render: ({ sessions }) => sessions,
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '96px',
      right: true,
      card: 'side',
      render: (user) => manages(user) && <RowActions name={user.name} actions={actions(user)} />,
    },
  ]
}

function SignIn({ user }: { user: User }) {
  const { t } = useText()
  if (user.disabled) return <span className="state-fail">{t('user.disabled')}</span>
  if (user.link_expires_at)
    return (
      <span className="state-wait">
        {t('user.link-open')} <RelativeTime at={user.link_expires_at} />
      </span>
    )
  return (
    <span className={user.has_password ? undefined : 'muted'}>
      {t(user.has_password ? 'user.has-password' : 'user.no-password')}
    </span>
  )
}

/** The dialog that follows is there already. */
const stay = () => {}

async function makeLink(name: string, reason = ''): Promise<LoginLink> {
  return call<LoginLink>('POST', `/v1/users/${part(name)}/link`, { body: {}, query: { reason } })
}

function UserDialogs({ doing, setDoing }: { doing: Doing; setDoing: (doing: Doing | null) => void }) {
  const { t } = useText()
  const close = () => setDoing(null)
  if (doing.kind === 'shown') {
    return (
      <OnceDialog
        title={t('user.link-of', { name: doing.name })}
        hint={t('user.link-hint')}
        secrets={[{ label: t('user.link'), text: doing.link.url }]}
        close={close}
      />
    )
  }
  if (doing.kind === 'add')
    return <AddUser close={close} made={(name, link) => setDoing({ kind: 'shown', name, link })} />
  const { user } = doing
  if (doing.kind === 'remove')
    return (
      <RemoveDialog
        removal={{
          kind: 'user',
          id: user.name,
          name: user.name,
          path: `/v1/users/${part(user.name)}`,
        }}
        close={close}
      />
    )
  if (doing.kind === 'edit') return <EditUser user={user} close={close} />
  const submit = async (_: Values, reason: string) =>
    setDoing({ kind: 'shown', name: user.name, link: await makeLink(user.name, reason) })
  return (
    <EditDialog
      title={t('user.link-of', { name: user.name })}
      fields={[]}
      action={t('user.make-link')}
      effect={() => <p className="said">{t('user.link-effect')}</p>}
      submit={submit}
      close={close}
      done={stay}
    />
  )
}

function useUserFields(adding: boolean): Field[] {
  const { t } = useText()
  const me = useMe()
  const domains = [...useTable('domains').rows.keys()]
  const roles: RoleName[] =
    me.role === 'superadmin' ? ['user', 'domain-admin', 'monitor', 'superadmin'] : ['user', 'domain-admin']
  return [
    {
      name: 'name',
      label: t('admin.name'),
      required: true,
      fixed: !adding,
      hint: adding ? t('admin.name-hint') : undefined,
    },
    { name: 'display_name', label: t('admin.display-name') },
    {
      name: 'role',
      label: t('user.role'),
      kind: 'select',
      choices: roles.map((role) => ({ value: role, label: t(`role.${role}`) })),
      half: adding,
    },
    ...(adding
      ? [
          {
            name: 'domain',
            label: t('admin.domain'),
            kind: 'select' as const,
            choices: domains.length > 0 ? domains : [me.domain],
            half: true,
          },
          { name: 'projects', label: t('admin.projects'), hint: t('user.projects-hint') },
        ]
      : [
          {
            name: 'disabled',
            label: t('user.disabled'),
            kind: 'check' as const,
            hint: t('user.disabled-hint'),
          },
        ]),
  ]
}

const words = (text = '') => text.split(/[\s,]+/).filter(Boolean)

function AddUser({ close, made }: { close: () => void; made: (name: string, link: LoginLink) => void }) {
  const { t } = useText()
  const me = useMe()
  const submit = async (values: Values, reason: string) => {
    const name = values.name ?? ''
    const body = {
      name,
      domain: values.domain,
      display_name: values.display_name,
      role: values.role,
      ...(words(values.projects).length > 0 && { projects: words(values.projects) }),
    }
    await call('POST', '/v1/users', { body, query: { reason } })
    made(name, await makeLink(name))
  }
  return (
    <EditDialog
      title={t('user.add')}
      fields={useUserFields(true)}
      initial={{ role: 'user', domain: me.domain, projects: '' }}
      action={t('action.add')}
      effect={() => null}
      submit={submit}
      close={close}
      done={stay}
    />
  )
}

/** Asks for what has changed alone: a right that the caller lacks is not in the way of the rest. */
function EditUser({ user, close }: { user: User; close: () => void }) {
  const { t } = useText()
  const initial = {
    name: user.name,
    display_name: user.display_name,
    role: user.role,
    disabled: user.disabled ? 'yes' : '',
  }
  const submit = ({ display_name, role, disabled }: Values, reason: string) => {
    const body = {
      ...(display_name !== initial.display_name && { display_name }),
      ...(role !== initial.role && { role }),
      ...(disabled !== initial.disabled && { disabled: disabled === 'yes' }),
    }
    return call('PATCH', `/v1/users/${part(user.name)}`, { body, query: { reason } })
  }
  return (
    <EditDialog
      title={t('user.edit', { name: user.name })}
      fields={useUserFields(false)}
      initial={initial}
      action={t('action.save')}
      submit={submit}
      close={close}
    />
  )
}
