import { useLost } from '../live/use_lost'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'

/** Says that what is shown is no longer live. */
export function OfflineBanner() {
  const { t } = useText()
  if (!useLost()) return null
  return (
    <div className="offline" role="alert">
      <Icon name="warn" />
      {t('shell.offline')}
    </div>
  )
}
