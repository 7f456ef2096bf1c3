import { useEffect, useState } from 'react'
import { useLiveState } from '../live/use_live'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'

const PATIENCE_MS = 1_500

/** Says that what is shown is no longer live; a cut that mends itself at once is not worth a word. */
export function OfflineBanner() {
  const { t } = useText()
  const lost = useLiveState() === 'lost'
  const [shown, show] = useState(false)
  useEffect(() => {
    if (!lost) return show(false)
    const timer = setTimeout(() => show(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [lost])
  if (!shown) return null
  return (
    <div className="offline" role="alert">
      <Icon name="warn" />
      {t('shell.offline')}
    </div>
  )
}
