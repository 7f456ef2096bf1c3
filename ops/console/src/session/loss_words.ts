import { showAmount } from '../amount/amount'
import type { Losses } from '../api/schema.gen'
import type { Translate } from '../text/text'

export const sizeOf = (bytes: number) => showAmount(BigInt(bytes) * 1_000_000n, 'bytes')

/** How much ends with a session, and whether that is all. */
export function lossWords({ files, bytes, complete }: Losses, t: Translate): string {
  if (files === 0) return t(complete ? 'losses.none' : 'losses.maybe')
  return t(complete ? 'losses.some' : 'losses.at-least', { files, bytes: sizeOf(bytes) })
}

/** A path as it is shown: with its kernel where there are several. */
export function lossPath({ kernel, path }: Losses['names'][number], names: Losses['names']): string {
  return names.some((one) => one.kernel !== names[0]?.kernel) ? `${kernel}:${path}` : path
}
