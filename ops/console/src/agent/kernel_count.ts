import type { Agent } from '../api/schema.gen'
import type { Translate } from '../text/text'

/** An agent lists the kernels that the viewer may see, and counts all: of others' it is said how many there are. */
export function kernelCount({ kernels, containers }: Agent, t: Translate): string {
  const others = containers - kernels.length
  return others > 0
    ? t('agent.kernels-others', { n: kernels.length, others })
    : t('agent.kernels', { n: kernels.length })
}
