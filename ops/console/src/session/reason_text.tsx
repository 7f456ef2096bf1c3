import type { Session } from '../api/schema.gen'
import { useTable } from '../live/use_live'
import { useText } from '../text/text'
import { isMissing } from '../ui/image_build'
import { reasonMore, reasonText } from './reason_words'

/** Why a session waits or how it ended; of one that waits, its place in the queue too. */
export function ReasonText({ session }: { session: Session }) {
  const { t } = useText()
  return (
    <span className="muted" title={reasonMore(session, t)}>
      {reasonText(session, t) || '–'}
      {session.reason?.code === 'image-building' && <Percent session={session} />}
    </span>
  )
}

/** How far the image is that the session waits for: the image's row alone changes with it. */
function Percent({ session }: { session: Session }) {
  const images = useTable('images').rows
  for (const reference of [session.image, ...session.roles.map(({ image }) => image)]) {
    const image = images.get(reference)
    if (image?.building && isMissing(image)) return ` ${image.building.percent} %`
  }
  return null
}
