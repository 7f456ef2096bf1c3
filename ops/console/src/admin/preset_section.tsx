import { useState } from 'react'
import { call, part } from '../api/client'
import { may } from '../api/identity'
import type { Preset } from '../api/schema.gen'
import { bySlotOrder, kindOf, microOf, slotName, writtenAmount } from '../amount/amount'
import { useMe } from '../app/account_context'
import { useTable } from '../live/use_live'
import { useText } from '../text/text'
import { Configuration } from '../ui/configuration'
import { EditDialog, type Values } from '../ui/edit_dialog'
import { RowActions } from '../ui/row_actions'
import type { Column } from '../ui/virtual_table'
import { AdminTable } from './admin_table'
import { RemoveDialog } from './remove_dialog'
import { asksForSomething, slotsIn } from './slot_values'

type Doing = { kind: 'add' } | { kind: 'edit' | 'remove'; preset: Preset }

export default function PresetSection() {
  const { t } = useText()
  const me = useMe()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const columns: Column<Preset>[] = [
    {
      key: 'name',
      title: t('admin.name'),
      width: 'minmax(140px, 1fr)',
      card: 'head',
      render: ({ name }) => name,
    },
    {
      key: 'resources',
      title: t('session.configuration'),
      width: 'minmax(196px, 2fr)',
      card: 'detail',
      render: ({ resources }) => <Configuration resources={resources} />,
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '70px',
      right: true,
      card: 'side',
      render: (preset) =>
        may(me, 'preset', 'change', 'create') && (
          <RowActions
            name={preset.name}
            actions={[
              { icon: 'edit', label: t('action.edit'), act: () => setDoing({ kind: 'edit', preset }) },
              {
                icon: 'remove',
                label: t('action.remove'),
                danger: true,
                act: () => setDoing({ kind: 'remove', preset }),
              },
            ]}
          />
        ),
    },
  ]
  return (
    <>
      <AdminTable
        table="presets"
        label={t('admin.presets')}
        keyOf={({ name }) => name}
        columns={columns}
        none={{ icon: 'start', text: t('preset.what') }}
        add={
          may(me, 'preset', 'create', 'change')
            ? { label: t('preset.add'), open: () => setDoing({ kind: 'add' }) }
            : undefined
        }
      />
      {doing?.kind === 'remove' && (
        <RemoveDialog
          removal={{
            kind: 'preset',
            id: doing.preset.name,
            name: doing.preset.name,
            path: `/v1/presets/${part(doing.preset.name)}`,
          }}
          close={close}
        />
      )}
      {(doing?.kind === 'add' || doing?.kind === 'edit') && (
        <PresetDialog preset={doing.kind === 'edit' ? doing.preset : null} close={close} />
      )}
    </>
  )
}

function PresetDialog({ preset, close }: { preset: Preset | null; close: () => void }) {
  const { t } = useText()
  const known = [...useTable('slots').rows.keys()]
  const slots = [...new Set([...known, ...Object.keys(preset?.resources ?? {})])].sort(bySlotOrder)
  return (
    <EditDialog
      title={preset ? t('preset.edit', { name: preset.name }) : t('preset.add')}
      fields={[
        { name: 'name', label: t('admin.name'), required: true, fixed: preset !== null },
        ...slots.map((slot) => ({
          name: `slot:${slot}`,
          label: slotName(slot),
          place: `resources.${slot}`,
          hint: kindOf(slot) === 'bytes' ? t('edit.bytes-hint') : undefined,
          half: true,
        })),
      ]}
      initial={
        preset
          ? {
              name: preset.name,
              ...Object.fromEntries(
                Object.entries(preset.resources).map(([slot, amount]) => [
                  `slot:${slot}`,
                  writtenAmount(microOf(amount), kindOf(slot)),
                ]),
              ),
            }
          : {}
      }
      action={t('action.save')}
      effect={(values) =>
        asksForSomething(values) ? undefined : <p className="said muted">{t('preset.needs-one')}</p>
      }
      blocked={(values) => !asksForSomething(values)}
      submit={(values, reason) =>
        call('POST', '/v1/presets', { body: requestOf(values, preset), query: { reason } })
      }
      close={close}
    />
  )
}

function requestOf(values: Values, preset: Preset | null) {
  return {
    name: values.name,
    resources: Object.fromEntries(slotsIn(values)),
    ...(preset?.shm && { shm: preset.shm }),
  }
}
