import { showNumber } from '../plot/series'
import { useText } from '../text/text'
import { PlainTable } from '../ui/plain_table'
import { RelativeTime } from '../ui/time'
import type { Operations } from './operations'

/** Where each store has got to, and who has led since when. */
export function StoreTable({ data }: { data: Operations }) {
  const { t } = useText()
  const number = (value: number | null, unit: 'count' | 'bytes') => (
    <span className="number">{value === null ? '–' : showNumber(value, unit)}</span>
  )
  return (
    <div className="operations-tables">
      <section className="operations-card">
        <h2>{t('operations.stores')}</h2>
        <PlainTable
          label={t('operations.stores')}
          rows={data.stores}
          keyOf={({ name, role }) => `${name} ${role}`}
          columns={[
            { key: 'name', title: t('session.name'), card: 'head', render: ({ name }) => name },
            { key: 'role', title: t('user.role'), card: 'side', render: ({ role }) => role || '–' },
            {
              key: 'position',
              title: t('event.position'),
              right: true,
              card: 'detail',
              titled: true,
              render: ({ position }) => <span className="mono">{position}</span>,
            },
            {
              key: 'lag',
              title: t('operations.lag'),
              right: true,
              card: 'detail',
              titled: true,
              render: ({ lag_records }) => number(lag_records, 'count'),
            },
            {
              key: 'bytes',
              title: t('files.size'),
              right: true,
              card: 'detail',
              titled: true,
              render: ({ bytes }) => number(bytes, 'bytes'),
            },
          ]}
        />
      </section>
      <section className="operations-card">
        <h2>{t('operations.epochs')}</h2>
        <PlainTable
          label={t('operations.epochs')}
          rows={data.epochs}
          keyOf={({ epoch }) => String(epoch)}
          columns={[
            {
              key: 'epoch',
              title: t('operations.epochs'),
              card: 'head',
              render: ({ epoch }) => <span className="number">{epoch}</span>,
            },
            { key: 'leader', title: t('operations.leader'), card: 'side', render: ({ leader }) => leader },
            {
              key: 'since',
              title: t('operations.since'),
              right: true,
              card: 'detail',
              render: ({ since }) => <RelativeTime at={since} />,
            },
          ]}
        />
      </section>
    </div>
  )
}
