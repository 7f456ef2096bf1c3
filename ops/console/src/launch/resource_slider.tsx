import { Slider, TextInput } from '@mantine/core'
import { kindOf, parseAmount, showAmount, slotName, writtenAmount } from '../amount/amount'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { warningOf } from './amount_warning'
import type { SlotTotals } from './group_totals'

type Props = {
  totals: SlotTotals
  /** What the image wants of it, 0 for nothing. */
  least: bigint
  count: number
  value: string
  error?: string
  onChange: (value: string) => void
}

/** Reaches all that the group has; warns of what must wait or can never start, and forbids nothing. */
export function ResourceSlider({ totals, least, count, value, error, onChange }: Props) {
  const { t } = useText()
  const { slot, total, free, largest, step } = totals
  const kind = kindOf(slot)
  const amount = parseAmount(value || '0')
  const steps = Number(total / step)
  const warning = amount === null ? null : warningOf(amount, BigInt(count), totals, least)
  const shown = (micro: bigint) => showAmount(micro, kind)
  const byGroup = slot === 'disk' && amount === 0n
  return (
    <div className="amount">
      <div className="amount-line">
        <span className="amount-name">{slotName(slot)}</span>
        <Slider
          className="grow"
          size="sm"
          min={0}
          max={Math.max(steps, 1)}
          step={1}
          value={Math.min(Number((amount ?? 0n) / step), Math.max(steps, 1))}
          label={(at) => shown(BigInt(at) * step)}
          marks={free > 0n && free < total ? [{ value: Number(free / step) }] : []}
          thumbLabel={t('launch.amount', { slot: slotName(slot) })}
          thumbProps={{ 'aria-valuetext': amount === null ? value : shown(amount) } as object}
          onChange={(at) => onChange(writtenAmount(BigInt(at) * step, kind))}
        />
        <TextInput
          className="amount-text"
          aria-label={slotName(slot)}
          value={value}
          error={Boolean(error)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      <p className="amount-hint">
        {error ? (
          <span className="amount-error" role="alert">
            {error}
          </span>
        ) : (
          <>
            {kind === 'bytes' && amount !== null && !byGroup && (
              <strong className="number">{`${shown(amount)} · `}</strong>
            )}
            {warning ? (
              <span className="amount-warning">
                <Icon name="warn" size={12} />{' '}
                {t(warning, { largest: shown(largest), free: shown(free), least: shown(least) })}
              </span>
            ) : (
              <span className="muted">
                {byGroup && `${t('launch.disk-by-group')} · `}
                {t('launch.free', { free: shown(free), total: shown(total) })}
              </span>
            )}
          </>
        )}
      </p>
    </div>
  )
}
