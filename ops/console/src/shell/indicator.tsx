import type { SlotBars } from '../api/schema.gen'
import { bySlotOrder, kindOf, microOf, shareOf, showAmount, slotName, type Kind } from '../amount/amount'
import { useText, type Translate } from '../text/text'
import { useResource } from './use_resource'
import './indicator.css'

const ALWAYS = ['cpu', 'mem', 'cuda.shares']

/** Two bars a slot: what is used of what could be, in the group above, everywhere below. */
export function Indicator({ group }: { group: string }) {
  const { t } = useText()
  const { data } = useResource(group)
  const slots = (data?.slots ?? []).filter(
    (bars) => ALWAYS.includes(bars.slot) || microOf(bars.capacity) > 0n,
  )
  const shown = slots.length > 0 ? slots.sort((a, b) => bySlotOrder(a.slot, b.slot)) : ALWAYS.map(emptyBars)
  return (
    <ul className="indicator" aria-label={t('indicator.title', { group })}>
      <li className="indicator-rows muted" aria-hidden="true" title={t('indicator.title', { group })}>
        <span className="clip">{t('indicator.here', { group })}</span>
        <span>{t('indicator.everywhere')}</span>
      </li>
      {shown.map((bars) => (
        <SlotIndicator key={bars.slot} bars={bars} group={group} known={data !== undefined} />
      ))}
    </ul>
  )
}

const emptyBars = (slot: string): SlotBars => ({
  slot,
  kind: kindOf(slot),
  upper: { used: '0', total: '0' },
  lower: { used: '0', total: '0' },
  reserved: '0',
  running: '0',
  remaining: '0',
  capacity: '0',
})

/** `known` is false until the server has said what there is, and while it cannot. */
function SlotIndicator({ bars, group, known }: { bars: SlotBars; group: string; known: boolean }) {
  const { t } = useText()
  const kind = bars.kind as Kind
  return (
    <li title={known ? sentence(bars, group, t) : undefined}>
      <span className="indicator-slot">{slotName(bars.slot)}</span>
      <Bar
        used={bars.upper.used}
        total={bars.upper.total}
        reserved={bars.reserved}
        kind={kind}
        known={known}
        label={t('indicator.upper', { slot: slotName(bars.slot), group })}
      />
      <Bar
        used={bars.lower.used}
        total={bars.lower.total}
        reserved="0"
        kind={kind}
        known={known}
        label={t('indicator.lower', { slot: slotName(bars.slot) })}
      />
    </li>
  )
}

function sentence(bars: SlotBars, group: string, t: Translate): string {
  const show = (amount: string) => showAmount(microOf(amount), bars.kind as Kind)
  return t('indicator.sentence', {
    group,
    reserved: show(bars.reserved),
    running: show(bars.running),
    remaining: show(bars.remaining),
    capacity: show(bars.capacity),
  })
}

type BarProps = { used: string; total: string; reserved: string; kind: Kind; known: boolean; label: string }

function Bar({ used, total, reserved, kind, known, label }: BarProps) {
  const { t } = useText()
  const free = showAmount(microOf(total) - microOf(used), kind)
  const text = known ? `${showAmount(microOf(used), kind)} / ${showAmount(microOf(total), kind)}` : '–'
  const running = shareOf(microOf(used) - microOf(reserved), microOf(total))
  const starting = shareOf(microOf(reserved), microOf(total))
  return (
    <>
      <span className="bar" role="img" aria-label={`${label}: ${text}`}>
        <span className="bar-running" style={{ width: `${running * 100}%` }} />
        <span className="bar-reserved" style={{ width: `${starting * 100}%` }} />
      </span>
      <span className="indicator-amount number" aria-hidden="true">
        {known ? (
          <>
            <span className="indicator-used">
              {t('indicator.used', { used: showAmount(microOf(used), kind) })},{' '}
            </span>
            {t('indicator.free', { free })}
          </>
        ) : (
          '–'
        )}
      </span>
    </>
  )
}
