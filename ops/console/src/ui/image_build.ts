import type { Image } from '../api/schema.gen'
import type { Translate } from '../text/text'

/** How far an image is being built, or that its build failed; empty of any other. */
export function buildWords({ building, build_failed }: Image, t: Translate): string {
  if (building) return t('image.being-built', { percent: building.percent })
  return build_failed ? t('image.build-failed') : ''
}

/** What is being built now, or why the build failed. */
export const buildMore = ({ building, build_failed }: Image) => building?.step || build_failed || undefined

/** Whether sessions that ask for the image wait: it has never been registered. */
export const isMissing = ({ source }: Image) => source === ''
