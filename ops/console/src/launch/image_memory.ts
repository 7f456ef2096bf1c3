import { microOf, writtenAmount } from '../amount/amount'
import type { Image } from '../api/schema.gen'

export const MEMORY = 'mem'

/** What an image says of the memory of its sessions, in micro-units; 0: nothing. */
export type ImageMemory = { least: bigint; recommended: bigint }

const FIRST_MEMORY = '1g'

export const memoryOf = (image: Image | undefined): ImageMemory => ({
  least: microOf(image?.memory_min),
  recommended: microOf(image?.memory_recommended),
})

/** What is asked for at first: enough for the image. */
export function firstMemory(image: Image | undefined): string {
  const { least, recommended } = memoryOf(image)
  const wanted = recommended > least ? recommended : least
  return wanted > microOf(FIRST_MEMORY) ? writtenAmount(wanted, 'bytes') : FIRST_MEMORY
}

/** The amounts for another image: memory that nobody has chosen is what is first asked for with that one. */
export function amountsFor(
  amounts: Record<string, string>,
  before: Image | undefined,
  after: Image | undefined,
): Record<string, string> {
  return amounts[MEMORY] === firstMemory(before) ? { ...amounts, [MEMORY]: firstMemory(after) } : amounts
}
