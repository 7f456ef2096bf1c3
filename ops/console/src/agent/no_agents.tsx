import { useText } from '../text/text'
import { CopyText } from '../ui/copy_text'
import { PageState } from '../ui/page_state'

/** Without an agent nothing runs: how to add one. */
export function NoAgents() {
  const { t } = useText()
  return (
    <PageState icon="agents" title={t('agent.none')}>
      <p>{t('agent.none.token')}</p>
      <CopyText text="berth agent token a1" />
      <p>{t('agent.none.join')}</p>
      <CopyText text={`berth agent join a1 --token TOKEN --endpoint ${location.origin} > a1.json`} />
    </PageState>
  )
}
