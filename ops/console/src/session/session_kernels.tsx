import type { DeviceShare, Kernel, Session, Status } from '../api/schema.gen'
import { useText } from '../text/text'
import { slotText } from '../ui/configuration'
import { PlainTable } from '../ui/plain_table'
import { StateBadge } from '../ui/state_badge'

export function SessionKernels({ session }: { session: Session }) {
  const { t } = useText()
  if (session.kernels.length === 0) return null
  return (
    <section className="stack-tight">
      <h2>{t('session.kernels')}</h2>
      <PlainTable
        label={t('session.kernels')}
        heads={[
          { title: t('session.name') },
          { title: t('session.status') },
          { title: t('session.agent') },
          { title: t('session.devices') },
          { title: t('session.attempt'), right: true },
          { title: t('session.end') },
        ]}
      >
        {session.kernels.map((kernel) => (
          <KernelRow key={kernel.id} kernel={kernel} />
        ))}
      </PlainTable>
    </section>
  )
}

function KernelRow({ kernel }: { kernel: Kernel }) {
  return (
    <tr>
      <td>{kernel.name}</td>
      <td>
        <StateBadge state={kernel.state as Status} />
        {kernel.percent !== null && kernel.state === 'PULLING' ? ` ${kernel.percent} %` : ''}
      </td>
      <td>{kernel.agent || '–'}</td>
      <td>{kernel.devices.map(deviceText).join(', ') || '–'}</td>
      <td className="right number">{kernel.attempt}</td>
      <td title={kernel.message}>{endText(kernel)}</td>
    </tr>
  )
}

const deviceText = ({ device, slot, amount }: DeviceShare) => `${device}: ${slotText(slot, amount)}`
const endText = ({ end, exit_code, code }: Kernel) =>
  [end, exit_code === null ? '' : `(${exit_code})`, code].filter(Boolean).join(' ') || '–'
