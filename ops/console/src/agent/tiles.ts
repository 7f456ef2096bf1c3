import type { Agent } from '../api/schema.gen'
import { microOf, shareOf } from '../amount/amount'
import { slotText } from '../ui/configuration'

/** A fraction of a device that a kernel holds; colours are numbers of the palette. */
export type Tile = {
  kernel: string
  id: string
  session: string
  user: string
  state: string
  amount: string
  share: number
  userColour: number
  stateColour: number
}

const COLOURS = 8
const STATE_COLOURS: Record<string, number> = { RUNNING: 2, TERMINATING: 4 }
const OTHER_STATE = 0

export function tilesOf(agent: Agent, device: string, slot: string): Tile[] {
  const capacity = microOf(agent.devices.find(({ id }) => id === device)?.slots[slot]?.capacity)
  return agent.kernels.flatMap((kernel) =>
    kernel.devices
      .filter((share) => share.device === device && share.slot === slot)
      .map((share) => ({
        kernel: kernel.id,
        id: kernel.session,
        session: kernel.session_name,
        user: kernel.user,
        state: kernel.state,
        amount: slotText(slot, share.amount),
        share: shareOf(microOf(share.amount), capacity),
        userColour: colourOf(kernel.user),
        stateColour: STATE_COLOURS[kernel.state] ?? OTHER_STATE,
      })),
  )
}

/** The same user has the same colour on every agent and in every browser. */
export function colourOf(name: string): number {
  let sum = 0
  for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 65_521
  return sum % COLOURS
}
