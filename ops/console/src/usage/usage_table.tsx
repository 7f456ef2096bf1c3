import { useState } from 'react'
import { kindOf, slotName } from '../amount/amount'
import { showNumber } from '../plot/series'
import { useText } from '../text/text'
import { PlainTable } from '../ui/plain_table'
import type { CardColumn } from '../ui/row_card'
import { hoursText, slotsOf, type Usage, type UsageRow } from './usage'

const UNITS = ['hours', 'seconds'] as const
type Unit = (typeof UNITS)[number]

/** Slot by slot what each held, in hours for people or exactly; the sum of all comes last. */
export function UsageTable({ usage }: { usage: Usage }) {
  const { t } = useText()
  const [unit, setUnit] = useState<Unit>('hours')
  const slots = slotsOf(usage)
  const sum: UsageRow = { key: '', waits: usage.waits, ...usage.total }
  const amount = (row: UsageRow, slot: string) => {
    const exact = row.slot_seconds[slot] ?? '0'
    const text = unit === 'hours' ? hoursText(exact, slot) : exact
    return (
      <span className="number" title={`${slot} ${exact}`}>
        {row.key ? text : <strong>{text}</strong>}
      </span>
    )
  }
  const columns: CardColumn<UsageRow>[] = [
    {
      key: 'key',
      title: t(`usage.by-${usage.by as 'user'}`),
      card: 'head',
      render: ({ key }) => key || <strong>{t('usage.total')}</strong>,
    },
    {
      key: 'sessions',
      title: t('nav.sessions'),
      right: true,
      card: 'detail',
      titled: true,
      render: ({ key, sessions }) => (
        <span className="number">{key ? sessions : <strong>{sessions}</strong>}</span>
      ),
    },
    ...slots.map((slot): CardColumn<UsageRow> => ({
      key: slot,
      title: titleOf(slot, unit),
      right: true,
      card: 'detail',
      titled: true,
      render: (row) => amount(row, slot),
    })),
    {
      key: 'waits',
      title: t('usage.p95'),
      right: true,
      card: 'detail',
      titled: true,
      render: ({ waits }) => (
        <span className="number">{waits ? showNumber(waits.p95_ms / 1_000, 'seconds') : '–'}</span>
      ),
    },
  ]
  return (
    <section className="usage-card">
      <div className="line">
        <h2>{t('usage.totals')}</h2>
        <span className="grow" />
        <div className="tabs" role="tablist" aria-label={t('usage.unit')}>
          {UNITS.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              aria-selected={one === unit}
              onClick={() => setUnit(one)}
            >
              {t(`usage.unit-${one}`)}
            </button>
          ))}
        </div>
      </div>
      <PlainTable
        label={t('usage.totals')}
        rows={[...usage.rows, sum]}
        keyOf={({ key }) => key}
        columns={columns}
      />
    </section>
  )
}

function titleOf(slot: string, unit: Unit): string {
  const isBytes = kindOf(slot) === 'bytes'
  const of = isBytes ? `${slotName(slot)} ${unit === 'hours' ? 'GiB' : 'B'}` : slotName(slot)
  return `${of}·${unit === 'hours' ? 'h' : 's'}`
}
