import type { Amounts } from '../api/schema.gen'
import { bySlotOrder, kindOf, microOf, showAmount, slotName } from '../amount/amount'

export function slotText(slot: string, amount: string): string {
  const shown = showAmount(microOf(amount), kindOf(slot))
  return slot === 'mem' ? shown : `${shown} ${slotName(slot)}`
}

/** What was asked for and given: `0.5 CPU  256 MiB  1 fGPU`, each in a column of its own. */
export function Configuration({ resources }: { resources: Amounts }) {
  const slots = Object.keys(resources)
    .filter((slot) => microOf(resources[slot]) !== 0n)
    .sort(bySlotOrder)
  return (
    <span className="configuration">
      {slots.map((slot) => (
        <span key={slot} className="number" title={`${slot} ${resources[slot]}`}>
          {slotText(slot, resources[slot] ?? '0')}
        </span>
      ))}
    </span>
  )
}
