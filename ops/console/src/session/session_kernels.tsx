import type { DeviceShare, Kernel, Session, Status } from '../api/schema.gen'
import { useText, type Translate } from '../text/text'
import { slotText } from '../ui/configuration'
import { PlainTable } from '../ui/plain_table'
import type { CardColumn } from '../ui/row_card'
import { StateBadge } from '../ui/state_badge'

export function SessionKernels({ session }: { session: Session }) {
  const { t } = useText()
  if (session.kernels.length === 0) return null
  return (
    <section className="stack-tight">
      <h2>{t('session.kernels')}</h2>
      <PlainTable
        label={t('session.kernels')}
        rows={session.kernels}
        keyOf={({ id }) => id}
        columns={columnsOf(t)}
      />
    </section>
  )
}

function columnsOf(t: Translate): CardColumn<Kernel>[] {
  return [
    { key: 'name', title: t('session.name'), card: 'head', render: ({ name }) => name },
    {
      key: 'status',
      title: t('session.status'),
      card: 'side',
      render: ({ state, percent }) => (
        <>
          <StateBadge state={state as Status} />
          {percent !== null && state === 'PULLING' ? ` ${percent} %` : ''}
        </>
      ),
    },
    {
      key: 'agent',
      title: t('session.agent'),
      card: 'detail',
      titled: true,
      render: ({ agent }) => agent || '–',
    },
    {
      key: 'devices',
      title: t('session.devices'),
      card: 'detail',
      titled: true,
      render: ({ devices }) => devices.map(deviceText).join(', ') || '–',
    },
    {
      key: 'attempt',
      title: t('session.attempt'),
      right: true,
      card: 'detail',
      titled: true,
      render: ({ attempt }) => <span className="number">{attempt}</span>,
    },
    {
      key: 'end',
      title: t('session.end'),
      card: 'detail',
      titled: true,
      render: (kernel) => <span title={kernel.message}>{endText(kernel)}</span>,
    },
  ]
}

const deviceText = ({ device, slot, amount }: DeviceShare) => `${device}: ${slotText(slot, amount)}`
const endText = ({ end, exit_code, code }: Kernel) =>
  [end, exit_code === null ? '' : `(${exit_code})`, code].filter(Boolean).join(' ') || '–'
