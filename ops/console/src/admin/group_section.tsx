import { useState } from 'react'
import { call, part } from '../api/client'
import { may } from '../api/identity'
import type { Group, GroupRequest, Scope } from '../api/schema.gen'
import { useMe } from '../app/account_context'
import { useText } from '../text/text'
import { EditDialog, type Field, type Values } from '../ui/edit_dialog'
import { RowActions } from '../ui/row_actions'
import type { Column } from '../ui/virtual_table'
import { AdminTable } from './admin_table'
import { RemoveDialog } from './remove_dialog'

type Doing = { kind: 'add' } | { kind: 'edit' | 'remove'; group: Group }

const ORDERS = ['fifo', 'lifo', 'drf', 'fair-share', 'backfill']
const HEADS = ['strict', 'skip-after-n', 'greedy']
const SELECTIONS = ['concentrated', 'dispersed', 'round-robin', 'fgd', 'balanced']
const FIRST: Values = {
  order: 'fifo',
  head: 'strict',
  n: '0',
  impossible: 'skip',
  select: 'concentrated',
  max_attempts: '5',
  egress: 'none',
}

export default function GroupSection() {
  const { t } = useText()
  const me = useMe()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const columns: Column<Group>[] = [
    {
      key: 'name',
      title: t('admin.name'),
      width: 'minmax(120px, 1fr)',
      card: 'head',
      render: ({ name }) => name,
    },
    {
      key: 'order',
      title: t('group.order'),
      width: '100px',
      card: 'detail',
      titled: true,
      render: ({ order }) => order,
    },
    {
      key: 'head',
      title: t('group.head'),
      width: '130px',
      card: 'detail',
      titled: true,
      render: ({ head_of_line: { policy, n } }) => (policy === 'skip-after-n' ? `${policy} (${n})` : policy),
    },
    {
      key: 'select',
      title: t('group.select'),
      width: '120px',
      card: 'detail',
      titled: true,
      render: ({ select, custom }) => custom ?? select,
    },
    {
      key: 'impossible',
      title: t('group.impossible'),
      width: '106px',
      card: 'detail',
      titled: true,
      render: ({ impossible }) => impossible,
    },
    {
      key: 'preemption',
      title: t('group.preemption'),
      width: '110px',
      card: 'detail',
      titled: true,
      render: ({ preemption }) => (preemption.enabled ? `${preemption.order}, ${preemption.mode}` : '–'),
    },
    {
      key: 'open',
      title: t('group.open-to'),
      width: 'minmax(120px, 1fr)',
      card: 'detail',
      titled: true,
      render: (group) => openLines(group).replaceAll('\n', ', ') || t('group.open-all'),
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '70px',
      right: true,
      card: 'side',
      render: (group) =>
        may(me, 'group', 'change', 'create') && (
          <RowActions
            name={group.name}
            actions={[
              { icon: 'edit', label: t('action.edit'), act: () => setDoing({ kind: 'edit', group }) },
              {
                icon: 'remove',
                label: t('action.remove'),
                danger: true,
                act: () => setDoing({ kind: 'remove', group }),
              },
            ]}
          />
        ),
    },
  ]
  return (
    <>
      <AdminTable
        table="groups"
        label={t('admin.groups')}
        keyOf={({ name }) => name}
        columns={columns}
        add={
          may(me, 'group', 'create', 'change')
            ? { label: t('group.add'), open: () => setDoing({ kind: 'add' }) }
            : undefined
        }
      />
      {doing?.kind === 'remove' && (
        <RemoveDialog
          removal={{
            kind: 'group',
            id: doing.group.name,
            name: doing.group.name,
            path: `/v1/groups/${part(doing.group.name)}`,
          }}
          close={close}
        />
      )}
      {(doing?.kind === 'add' || doing?.kind === 'edit') && (
        <GroupDialog group={doing.kind === 'edit' ? doing.group : null} close={close} />
      )}
    </>
  )
}

function GroupDialog({ group, close }: { group: Group | null; close: () => void }) {
  const { t } = useText()
  const fields: Field[] = [
    { name: 'name', label: t('admin.name'), required: true, fixed: group !== null },
    { name: 'order', label: t('group.order'), kind: 'select', choices: ORDERS },
    {
      name: 'head',
      label: t('group.head'),
      kind: 'select',
      choices: HEADS,
      place: 'head_of_line.policy',
      half: true,
    },
    { name: 'n', label: t('group.head-n'), place: 'head_of_line.n', half: true },
    {
      name: 'impossible',
      label: t('group.impossible'),
      kind: 'select',
      choices: ['skip', 'block'],
      half: true,
    },
    {
      name: 'select',
      label: t('group.select'),
      kind: 'select',
      choices: [...new Set([...SELECTIONS, group?.select ?? 'concentrated'])],
      half: true,
    },
    { name: 'pending_timeout', label: t('group.pending-timeout'), hint: t('edit.duration-hint'), half: true },
    { name: 'max_attempts', label: t('group.max-attempts'), half: true },
    {
      name: 'egress',
      label: t('group.egress'),
      kind: 'select',
      choices: ['none', 'registries'],
    },
    { name: 'preempts', label: t('group.preempts'), kind: 'check' },
    { name: 'open', label: t('group.open-to'), kind: 'lines', hint: t('group.open-hint'), place: 'open_to' },
  ]
  return (
    <EditDialog
      title={group ? t('group.edit', { name: group.name }) : t('group.add')}
      fields={fields}
      initial={group ? valuesOf(group) : FIRST}
      action={t(group ? 'action.save' : 'action.add')}
      submit={(values, reason) =>
        call('POST', '/v1/groups', { body: requestOf(values, group), query: { reason } })
      }
      close={close}
    />
  )
}

/** Whom the group is open to; nobody named is everybody. */
const openLines = ({ open_to }: Group) => (open_to ?? []).map(({ scope, id }) => `${scope}:${id}`).join('\n')

const valuesOf = (group: Group): Values => ({
  name: group.name,
  order: group.order,
  head: group.head_of_line.policy,
  n: String(group.head_of_line.n),
  impossible: group.impossible,
  select: group.select,
  pending_timeout: group.pending_timeout ?? '',
  max_attempts: String(group.max_attempts),
  egress: group.egress,
  preempts: group.preemption.enabled ? 'yes' : '',
  open: openLines(group),
})

/** A group is replaced whole: what the form does not show stays as it was. */
function requestOf(values: Values, group: Group | null): GroupRequest {
  const kept = Object.fromEntries(Object.entries(group ?? {}).filter(([, value]) => value !== null))
  return {
    ...kept,
    name: values.name ?? '',
    order: values.order as GroupRequest['order'],
    head_of_line: { policy: values.head as Group['head_of_line']['policy'], n: Number(values.n ?? 0) },
    impossible: values.impossible as GroupRequest['impossible'],
    select: values.select as GroupRequest['select'],
    pending_timeout: values.pending_timeout || undefined,
    max_attempts: Number(values.max_attempts),
    egress: values.egress as GroupRequest['egress'],
    preemption: {
      ...group?.preemption,
      min_runtime: group?.preemption.min_runtime ?? undefined,
      enabled: values.preempts === 'yes',
    },
    open_to: (values.open ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .map(scopeOf),
  }
}

function scopeOf(line: string): Scope {
  const colon = line.indexOf(':')
  return { scope: line.slice(0, colon) as Scope['scope'], id: line.slice(colon + 1) }
}
