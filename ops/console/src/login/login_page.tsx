import { useState, type FormEvent } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { call } from '../api/client'
import type { Me } from '../api/identity'
import { signIn } from '../app/identity'
import { useText } from '../text/text'
import { ProblemText } from '../ui/page_state'
import { LoginFrame } from './login_frame'

export default function LoginPage() {
  const { t } = useText()
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const login = useMutation({
    mutationFn: () => call<{ user: Me }>('POST', '/v1/login', { body: { user, password } }),
    onSuccess: ({ user: me }) => signIn(me),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    login.mutate()
  }
  return (
    <LoginFrame title={t('login.title')} submit={submit}>
      <TextInput
        label={t('login.user')}
        name="username"
        autoComplete="username"
        autoFocus
        required
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
      />
      <PasswordInput
        label={t('login.password')}
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <ProblemText error={login.error} />
      <Button type="submit" loading={login.isPending}>
        {t('login.log-in')}
      </Button>
      <p className="muted">{t('login.no-password')}</p>
    </LoginFrame>
  )
}
