import type { DeviceShare, Kernel, Session, Status } from '../api/schema.gen'
import { useText } from '../text/text'
import { slotText } from '../ui/configuration'
import { StateBadge } from '../ui/state_badge'

export function SessionKernels({ session }: { session: Session }) {
  const { t } = useText()
  if (session.kernels.length === 0) return null
  return (
    <section className="stack-tight">
      <h2>{t('session.kernels')}</h2>
      <div className="scroll-x" tabIndex={0} role="region" aria-label={t('session.kernels')}>
        <table className="plain">
          <thead>
            <tr>
              <th>{t('session.name')}</th>
              <th>{t('session.status')}</th>
              <th>{t('session.agent')}</th>
              <th>{t('session.devices')}</th>
              <th className="right">{t('session.attempt')}</th>
              <th>{t('session.end')}</th>
            </tr>
          </thead>
          <tbody>
            {session.kernels.map((kernel) => (
              <KernelRow key={kernel.id} kernel={kernel} />
            ))}
          </tbody>
        </table>
      </div>
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
