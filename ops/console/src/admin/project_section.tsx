import { useState } from 'react'
import { call, part } from '../api/client'
import { may, mayOn, type Project } from '../api/identity'
import { useMe } from '../app/account_context'
import { useTable } from '../live/use_live'
import { useText } from '../text/text'
import { EditDialog, type Values } from '../ui/edit_dialog'
import { RowActions } from '../ui/row_actions'
import type { Column } from '../ui/virtual_table'
import { AdminTable } from './admin_table'
import { levelsOf, linesOf, placesText } from './members'
import { RemoveDialog } from './remove_dialog'

type Doing = { kind: 'add' } | { kind: 'edit' | 'remove'; project: Project }

const ownerOf = ({ domain, name }: Project) => ({ domain, project: name })
const pathOf = ({ domain, name }: Project) => `/v1/projects/${part(domain)}/${part(name)}`

export default function ProjectSection() {
  const { t } = useText()
  const me = useMe()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const columns: Column<Project>[] = [
    {
      key: 'name',
      title: t('admin.name'),
      width: 'minmax(120px, 1fr)',
      card: 'head',
      render: ({ name }) => name,
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
      key: 'display',
      title: t('admin.display-name'),
      width: 'minmax(120px, 1fr)',
      render: ({ display_name }) => display_name || '–',
    },
    {
      key: 'members',
      title: t('project.members'),
      width: 'minmax(160px, 2fr)',
      card: 'detail',
      titled: true,
      render: ({ members }) => placesText(members, t),
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
      width: '70px',
      right: true,
      card: 'side',
      render: (project) =>
        mayOn(me, 'membership', 'change', ownerOf(project)) && (
          <RowActions
            name={project.name}
            actions={[
              { icon: 'edit', label: t('action.edit'), act: () => setDoing({ kind: 'edit', project }) },
              ...(mayOn(me, 'project', 'end', ownerOf(project))
                ? [
                    {
                      icon: 'remove' as const,
                      label: t('action.remove'),
                      danger: true,
                      act: () => setDoing({ kind: 'remove', project }),
                    },
                  ]
                : []),
            ]}
          />
        ),
    },
  ]
  return (
    <>
      <AdminTable
        table="projects"
        label={t('admin.projects')}
        keyOf={({ domain, name }) => `${domain}/${name}`}
        columns={columns}
        add={
          may(me, 'project', 'create')
            ? { label: t('project.add'), open: () => setDoing({ kind: 'add' }) }
            : undefined
        }
      />
      {doing?.kind === 'add' && <AddProject close={close} />}
      {doing?.kind === 'edit' && <EditProject project={doing.project} close={close} />}
      {doing?.kind === 'remove' && (
        <RemoveDialog
          removal={{
            kind: 'project',
            id: `${doing.project.domain}/${doing.project.name}`,
            name: doing.project.name,
            path: pathOf(doing.project),
          }}
          close={close}
        />
      )}
    </>
  )
}

function AddProject({ close }: { close: () => void }) {
  const { t } = useText()
  const me = useMe()
  const domains = [...useTable('domains').rows.keys()]
  return (
    <EditDialog
      title={t('project.add')}
      fields={[
        { name: 'name', label: t('admin.name'), required: true, hint: t('admin.name-hint') },
        {
          name: 'domain',
          label: t('admin.domain'),
          kind: 'select',
          choices: domains.length > 0 ? domains : [me.domain],
        },
        { name: 'display_name', label: t('admin.display-name') },
      ]}
      initial={{ domain: me.domain }}
      action={t('action.add')}
      effect={() => null}
      submit={({ name, domain, display_name }, reason) =>
        call('POST', '/v1/projects', { body: { name, domain, display_name }, query: { reason } })
      }
      close={close}
    />
  )
}

/** Members as lines, `alice` or `alice admin`; each difference is a request of its own. */
function EditProject({ project, close }: { project: Project; close: () => void }) {
  const { t } = useText()
  const submit = async ({ display_name, members }: Values, reason: string) => {
    if (display_name !== project.display_name)
      await call('PATCH', pathOf(project), { body: { display_name }, query: { reason } })
    const before = levelsOf(linesOf(project.members))
    const after = levelsOf(members ?? '')
    const path = (user: string) => `${pathOf(project)}/members/${part(user)}`
    for (const [user, level] of after) {
      if (before.get(user) !== level) await call('PUT', path(user), { body: { level }, query: { reason } })
    }
    for (const user of before.keys()) {
      if (!after.has(user)) await call('DELETE', path(user), { query: { reason } })
    }
  }
  return (
    <EditDialog
      title={t('project.edit', { name: project.name })}
      fields={[
        { name: 'display_name', label: t('admin.display-name') },
        { name: 'members', label: t('project.members'), kind: 'lines', hint: t('project.members-hint') },
      ]}
      initial={{ display_name: project.display_name, members: linesOf(project.members) }}
      action={t('action.save')}
      submit={submit}
      close={close}
    />
  )
}
