import { microOf, writtenAmount } from '../amount/amount'
import type { Image } from '../api/schema.gen'

export const MEMORY = 'mem'

/** What an image says of the memory of its sessions, in micro-units; 0: nothing. Less than `least` is refused. */
export type ImageMemory = { least: bigint; recommended: bigint }

const FIRST_MEMORY = '1g'
const SHM_DEFAULT = '64m' // as the controller has it

/** Shared memory counts in memory, on top of what the image needs: the image's, else the group's, else Berth's. */
function shmOf(image: Image | undefined, shmOfGroup: string | null | undefined): bigint {
  const ofImage = microOf(image?.labels['berth.shm'])
  return ofImage > 0n ? ofImage : microOf(shmOfGroup ?? SHM_DEFAULT)
}

export function memoryOf(image: Image | undefined, shmOfGroup?: string | null): ImageMemory {
  const least = microOf(image?.memory_min)
  return {
    least: least > 0n ? least + shmOf(image, shmOfGroup) : 0n,
    recommended: microOf(image?.memory_recommended),
  }
}

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
