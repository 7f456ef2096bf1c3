import { useState, type FormEvent } from 'react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button, PasswordInput } from '@mantine/core'
import { call } from '../api/client'
import { Problem } from '../api/problem'
import type { Me } from '../api/identity'
import { signIn } from '../app/identity'
import { go } from '../app/router'
import { useText } from '../text/text'
import { FailureText, Loading, ProblemText, failureTitle } from '../ui/page_state'
import { RelativeTime } from '../ui/time'
import { LoginFrame } from './login_frame'

const SHORTEST_PASSWORD = 8

/** A first start, an invitation or a reset: whoever holds the link sets the password, which spends it, and is signed in. */
export default function LinkPage({ token }: { token: string }) {
  const { t } = useText()
  const [password, setPassword] = useState('')
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () =>
      call<{ user: string; expires_at: string }>('POST', '/v1/login/link/check', { body: { token } }),
    staleTime: Infinity,
  })
  const spend = useMutation({
    mutationFn: () => call<{ user: Me }>('POST', '/v1/login/link', { body: { token, password } }),
    onSuccess: ({ user: me }) => {
      signIn(me)
      go('#/sessions', { replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    spend.mutate()
  }
  if (link.isPending) return <Loading />
  if (link.error) {
    const isRefused = link.error instanceof Problem && link.error.status === 401
    return (
      <LoginFrame title={t(isRefused ? 'link.gone' : failureTitle(link.error))} submit={submit}>
        {isRefused ? (
          <p>{t('link.gone.hint')}</p>
        ) : (
          <FailureText error={link.error} retry={() => void link.refetch()} />
        )}
        <a href="#/">{t('login.title')}</a>
      </LoginFrame>
    )
  }
  return (
    <LoginFrame title={t('link.title', { user: link.data.user })} submit={submit}>
      <input type="text" name="username" autoComplete="username" value={link.data.user} readOnly hidden />
      <PasswordInput
        label={t('link.password')}
        description={t('link.password.hint', { n: SHORTEST_PASSWORD })}
        autoComplete="new-password"
        autoFocus
        required
        minLength={SHORTEST_PASSWORD}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <ProblemText error={spend.error} />
      <Button type="submit" loading={spend.isPending}>
        {t('link.set')}
      </Button>
      <p className="muted">
        {t('link.expires')} <RelativeTime at={link.data.expires_at} />
      </p>
    </LoginFrame>
  )
}
