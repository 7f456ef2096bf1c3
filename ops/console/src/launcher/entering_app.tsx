import { useEffect } from 'react'
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/client'
import { useText } from '../text/text'
import { PageState } from '../ui/page_state'
import { appPath, type AppName } from './app_address'
import { AppProblem } from './app_problem'
import { enterApp, type Ticket } from './enter_app'
import { useTitle } from './use_title'

type Props = { name: AppName; title: string; of: string }

/** Gets a ticket and goes into the app with it. */
export function EnteringApp({ name: { session, app }, title, of }: Props) {
  const { t } = useText()
  useTitle(title, of)
  const { mutate, error } = useMutation({
    mutationFn: () => call<Ticket>('POST', `${appPath({ session, app })}/open`, { body: {} }),
    onSuccess: enterApp,
  })
  useEffect(() => mutate(), [mutate])
  if (error) return <AppProblem error={error} retry={() => mutate()} />
  return (
    <PageState icon="apps" title={t('app.opening', { app: title })}>
      <p>{of}</p>
      <span className="app-progress" aria-hidden="true" />
    </PageState>
  )
}
