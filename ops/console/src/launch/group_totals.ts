import type { Agent, Group, Resource } from '../api/schema.gen'
import { bySlotOrder, kindOf, microOf } from '../amount/amount'

/** Of one slot in a group, in micro-units: all of it, what the caller could still have, the most on one agent, a step to slide by. */
export type SlotTotals = { slot: string; total: bigint; free: bigint; largest: bigint; step: bigint }

const MICRO = 1_000_000n
const COMMON = ['cpu', 'mem', 'cuda.shares']

export function totalsOf(
  resource: Resource | undefined,
  agents: Iterable<Agent>,
  group: Group | undefined,
): SlotTotals[] {
  const largest = new Map<string, bigint>()
  for (const agent of agents) {
    if (agent.group !== group?.name || !agent.schedulable) continue
    for (const [slot, { capacity }] of Object.entries(agent.slots)) {
      if (microOf(capacity) > (largest.get(slot) ?? 0n)) largest.set(slot, microOf(capacity))
    }
  }
  const slots = (resource?.slots ?? []).filter(
    ({ slot, capacity }) => COMMON.includes(slot) || microOf(capacity) > 0n,
  )
  return slots
    .map(({ slot, capacity, remaining }) => ({
      slot,
      total: microOf(capacity),
      free: microOf(remaining),
      largest: largest.get(slot) ?? 0n,
      step: stepOf(slot, microOf(capacity), microOf(group?.devices[slot]?.quantum)),
    }))
    .sort((a, b) => bySlotOrder(a.slot, b.slot))
}

/** About 200 steps over all of it, never finer than the group's quantum. */
function stepOf(slot: string, total: bigint, quantum: bigint): bigint {
  const finest =
    kindOf(slot) === 'bytes' ? 64n * 1024n * 1024n * MICRO : slot === 'cpu' ? MICRO / 2n : MICRO / 10n
  let step = quantum > finest ? quantum : finest
  while (total / step > 256n) step *= 2n
  return step
}
