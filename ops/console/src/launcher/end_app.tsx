import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { callRaw } from '../api/client'
import { useText } from '../text/text'
import { ProblemText } from '../ui/page_state'
import { appPath } from './app_address'
import type { SessionApp } from './session_app'
import { appsKey } from './use_apps'

type Props = { session: string; app: SessionApp; back: () => void }

export function EndApp({ session, app, back }: Props) {
  const { t } = useText()
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: () => callRaw('DELETE', appPath({ session, app: app.name })),
    onSuccess: back,
    onSettled: () => client.invalidateQueries({ queryKey: appsKey(session) }),
  })
  return (
    <div className="stack">
      <p className="said">{t('apps.end-effect')}</p>
      <ProblemText error={end.error} />
      <div className="line dialog-actions">
        <Button variant="default" onClick={back}>
          {t('action.cancel')}
        </Button>
        <Button color="red" data-autofocus loading={end.isPending} onClick={() => end.mutate()}>
          {t('apps.end')}
        </Button>
      </div>
    </div>
  )
}
