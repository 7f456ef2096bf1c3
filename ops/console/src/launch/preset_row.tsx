import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import type { PresetReport } from '../api/schema.gen'
import { bySlotOrder, kindOf, microOf, writtenAmount } from '../amount/amount'
import { useText } from '../text/text'
import { slotText } from '../ui/configuration'

type Props = { group: string; apply: (amounts: Record<string, string>) => void }

/** Amounts that the cluster has names for; those that could not start now are told apart. */
export function PresetRow({ group, apply }: Props) {
  const { t } = useText()
  const { data } = useQuery({
    queryKey: ['presets', group],
    queryFn: ({ signal }) =>
      call<PresetReport>('GET', '/v1/resource/check-presets', { query: { group }, signal }),
    enabled: group !== '',
  })
  if (!data || data.presets.length === 0) return null
  return (
    <div className="line" role="group" aria-label={t('launch.presets')}>
      {data.presets.map(({ name, resources, allocatable }) => {
        const slots = Object.keys(resources).sort(bySlotOrder)
        const text = slots.map((slot) => slotText(slot, resources[slot] ?? '0')).join(' · ')
        return (
          <button
            key={name}
            type="button"
            className="preset"
            title={t(allocatable ? 'launch.preset-fits' : 'launch.preset-waits')}
            onClick={() =>
              apply(
                Object.fromEntries(
                  slots.map((slot) => [slot, writtenAmount(microOf(resources[slot]), kindOf(slot))]),
                ),
              )
            }
          >
            <strong>{name}</strong>
            <span className="muted">
              {text}
              {allocatable ? '' : ` (${t('launch.waits')})`}
            </span>
          </button>
        )
      })}
    </div>
  )
}
