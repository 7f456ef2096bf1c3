import { useState } from 'react'
import { call, part } from '../api/client'
import { may } from '../api/identity'
import type { Limit } from '../api/schema.gen'
import {
  amountText,
  bySlotOrder,
  kindOf,
  microOf,
  parseAmount,
  showAmount,
  slotName,
  writtenAmount,
} from '../amount/amount'
import { useMe } from '../app/account_context'
import { useTable } from '../live/use_live'
import { useText, type Translate } from '../text/text'
import { slotText } from '../ui/configuration'
import { EditDialog, type Field, type Values } from '../ui/edit_dialog'
import { RowActions } from '../ui/row_actions'
import type { Column } from '../ui/virtual_table'
import { AdminTable } from './admin_table'
import { RemoveDialog } from './remove_dialog'
import { slotsIn } from './slot_values'

type Doing = { kind: 'add' } | { kind: 'edit' | 'remove'; limit: Limit }

const pathOf = (scope: string, id: string) => `/v1/limits/${part(scope)}/${part(id)}`

/** Whom it binds, as within a sentence. */
const nameOf = ({ scope, id }: Limit, t: Translate) => `${t(`scope.${scope}`).toLowerCase()} ${id}`

export default function LimitSection() {
  const { t } = useText()
  const me = useMe()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const columns: Column<Limit>[] = [
    {
      key: 'scope',
      title: t('limit.scope'),
      width: '80px',
      card: 'side',
      render: ({ scope }) => t(`scope.${scope}`),
    },
    { key: 'id', title: t('limit.of'), width: 'minmax(120px, 0.8fr)', card: 'head', render: ({ id }) => id },
    {
      key: 'slots',
      title: t('limit.slots'),
      width: 'minmax(200px, 2fr)',
      card: 'detail',
      titled: true,
      render: (limit) => <span className="number">{slotsText(limit)}</span>,
    },
    {
      key: 'sessions',
      title: t('nav.sessions'),
      width: '90px',
      right: true,
      card: 'detail',
      titled: true,
      render: ({ sessions, using }) => (sessions === null ? '–' : `${using.sessions} / ${sessions}`),
    },
    {
      key: 'pending',
      title: t('limit.pending'),
      width: '90px',
      right: true,
      card: 'detail',
      titled: true,
      render: ({ pending, using }) => (pending === null ? '–' : `${using.pending} / ${pending}`),
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '70px',
      right: true,
      card: 'side',
      render: (limit) =>
        may(me, 'limit', 'change', 'create') && (
          <RowActions
            name={nameOf(limit, t)}
            actions={[
              { icon: 'edit', label: t('action.edit'), act: () => setDoing({ kind: 'edit', limit }) },
              {
                icon: 'remove',
                label: t('action.remove'),
                danger: true,
                act: () => setDoing({ kind: 'remove', limit }),
              },
            ]}
          />
        ),
    },
  ]
  return (
    <>
      <AdminTable
        table="limits"
        label={t('admin.limits')}
        keyOf={({ scope, id }) => `${scope}/${id}`}
        columns={columns}
        add={
          may(me, 'limit', 'create', 'change')
            ? { label: t('limit.add'), open: () => setDoing({ kind: 'add' }) }
            : undefined
        }
      />
      {doing?.kind === 'remove' && (
        <RemoveDialog
          removal={{
            kind: 'limit',
            id: `${doing.limit.scope}/${doing.limit.id}`,
            name: nameOf(doing.limit, t),
            path: pathOf(doing.limit.scope, doing.limit.id),
          }}
          close={close}
        />
      )}
      {(doing?.kind === 'add' || doing?.kind === 'edit') && (
        <LimitDialog limit={doing.kind === 'edit' ? doing.limit : null} close={close} />
      )}
    </>
  )
}

function slotsText({ slots, using }: Limit): string {
  const bounded = Object.entries(slots)
    .filter(([, amount]) => amount !== null)
    .sort(([a], [b]) => bySlotOrder(a, b))
  return (
    bounded
      .map(
        ([slot, amount]) =>
          `${showAmount(microOf(using.slots[slot]), kindOf(slot))} / ${slotText(slot, amount ?? '0')}`,
      )
      .join(' · ') || '–'
  )
}

function LimitDialog({ limit, close }: { limit: Limit | null; close: () => void }) {
  const { t } = useText()
  const known = [...useTable('slots').rows.keys()].sort(bySlotOrder)
  const slots = [...new Set([...known, ...Object.keys(limit?.slots ?? {})])]
  const fields: Field[] = [
    {
      name: 'scope',
      label: t('limit.scope'),
      kind: 'select',
      fixed: limit !== null,
      choices: (['user', 'project', 'domain', 'keypair'] as const).map((scope) => ({
        value: scope,
        label: t(`scope.${scope}`),
      })),
    },
    { name: 'id', label: t('limit.of'), required: true, fixed: limit !== null, hint: t('limit.of-hint') },
    ...slots.map((slot) => ({
      name: `slot:${slot}`,
      label: slotName(slot),
      place: `slots.${slot}`,
      hint: kindOf(slot) === 'bytes' ? t('edit.bytes-hint') : undefined,
      half: true,
    })),
    { name: 'sessions', label: t('nav.sessions'), half: true },
    { name: 'pending', label: t('limit.pending'), half: true },
    { name: 'limited', label: t('limit.unlisted'), kind: 'check' },
  ]
  const initial = limit ? valuesOf(limit) : { scope: 'user' }
  return (
    <EditDialog
      title={limit ? t('limit.edit', { name: nameOf(limit, t) }) : t('limit.add')}
      fields={fields}
      initial={initial}
      action={t('action.save')}
      effect={(values) => limit && <Effect limit={limit} values={values} />}
      submit={(values, reason) =>
        call('PUT', pathOf(values.scope ?? '', values.id ?? ''), {
          body: requestOf(values, limit),
          query: { reason },
        })
      }
      close={close}
    />
  )
}

/** What is used now beyond the new limit: it goes on, and new sessions wait. */
function Effect({ limit, values }: { limit: Limit; values: Values }) {
  const { t } = useText()
  const over = Object.entries(limit.using.slots).filter(([slot, used]) => {
    const bound = parseAmount(values[`slot:${slot}`] || 'none')
    return bound !== null && microOf(used) > bound
  })
  if (over.length === 0) return <p className="said muted">{t('limit.effect-none')}</p>
  return (
    <p className="said state-wait">
      {t('limit.effect-over', { slots: over.map(([slot, used]) => slotText(slot, used)).join(', ') })}
    </p>
  )
}

const valuesOf = (limit: Limit): Values => ({
  scope: limit.scope,
  id: limit.id,
  ...Object.fromEntries(
    Object.entries(limit.slots).map(([slot, amount]) => [
      `slot:${slot}`,
      amount === null ? '' : writtenAmount(microOf(amount), kindOf(slot)),
    ]),
  ),
  sessions: limit.sessions === null ? '' : String(limit.sessions),
  pending: limit.pending === null ? '' : String(limit.pending),
  limited: limit.unlisted === 'limited' ? 'yes' : '',
})

const numberOf = (text = '') => (text.trim() === '' ? null : Number(text))

/** Replaced whole: bounds that the form does not show stay as they were. Text that is no amount goes as it is, for the server to refuse. */
function requestOf(values: Values, limit: Limit | null) {
  return {
    slots: Object.fromEntries(slotsIn(values).map(([slot, text]) => [slot, exactText(text)])),
    unlisted: values.limited === 'yes' ? 'limited' : 'unlimited',
    sessions: numberOf(values.sessions),
    pending: numberOf(values.pending),
    ...(limit && {
      pending_slots: limit.pending_slots,
      system_sessions: limit.system_sessions,
      kernels_per_session: limit.kernels_per_session,
      priority: limit.priority,
    }),
  }
}

function exactText(text: string): string {
  const amount = parseAmount(text)
  return amount === null ? text : amountText(amount)
}
