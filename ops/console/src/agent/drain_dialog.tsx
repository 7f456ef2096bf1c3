import { Button, Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call, part } from '../api/client'
import type { Agent } from '../api/schema.gen'
import { useText } from '../text/text'
import { ProblemText } from '../ui/page_state'
import { kernelCount } from './kernel_count'

/** Says what draining does to what runs there, then does it; or takes it back. */
export function DrainDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useText()
  const verb = agent.draining ? 'undrain' : 'drain'
  const change = useMutation({
    mutationFn: () => call('POST', `/v1/agents/${part(agent.name)}/${verb}`, { body: {} }),
    onSuccess: close,
  })
  return (
    <Modal opened onClose={close} title={t(`agent.${verb}-of`, { name: agent.name })}>
      <div className="stack">
        <p className="said">{t(`agent.${verb}.effect`, { kernels: kernelCount(agent, t) })}</p>
        <ProblemText error={change.error} />
        <div className="line dialog-actions">
          <Button variant="default" onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button data-autofocus loading={change.isPending} onClick={() => change.mutate()}>
            {t(`agent.${verb}`)}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
