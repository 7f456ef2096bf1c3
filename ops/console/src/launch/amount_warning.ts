import { kindOf } from '../amount/amount'
import type { SlotTotals } from './group_totals'

const MICRO = 1_000_000n
/** No program gets far with less; who wrote it meant a unit. */
const LEAST_BYTES = 4n * 1024n * 1024n * MICRO

/** What is odd about an amount that may be asked for all the same. `least`: what the image wants of it, 0 for nothing. */
export function warningOf(amount: bigint, count: bigint, { slot, largest, free }: SlotTotals, least = 0n) {
  if (kindOf(slot) === 'bytes' && amount > 0n && amount < LEAST_BYTES) return 'launch.few-bytes' as const
  if (amount < least) return 'launch.below-image' as const
  if (amount > largest) return 'launch.beyond-agent' as const
  if (amount * count > free) return 'launch.beyond-free' as const
  return null
}
