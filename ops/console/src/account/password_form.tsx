import { useState } from 'react'
import { Button, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call, part } from '../api/client'
import { Problem, messageAt } from '../api/problem'
import { useMe } from '../app/account_context'
import { useText } from '../text/text'
import { ProblemText } from '../ui/page_state'
import { Card } from './card'

const EMPTY = { old: '', new: '' }

/** A change ends one's other browser sessions. */
export function PasswordForm() {
  const { t } = useText()
  const me = useMe()
  const [words, setWords] = useState(EMPTY)
  const change = useMutation({
    mutationFn: () => call('PUT', `/v1/users/${part(me.user)}/password`, { body: words }),
    onSuccess: () => setWords(EMPTY),
  })
  const problem = change.error instanceof Problem ? change.error : null
  return (
    <Card title={t('account.password')}>
      <form
        className="password-form"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate()
        }}
      >
        <input type="text" name="username" autoComplete="username" value={me.user} readOnly hidden />
        <PasswordInput
          label={t('password.old')}
          autoComplete="current-password"
          required
          error={messageAt(problem, 'old')}
          value={words.old}
          onChange={(event) => setWords({ ...words, old: event.currentTarget.value })}
        />
        <PasswordInput
          label={t('password.new')}
          autoComplete="new-password"
          required
          minLength={8}
          error={messageAt(problem, 'new')}
          value={words.new}
          onChange={(event) => setWords({ ...words, new: event.currentTarget.value })}
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          {t('password.change')}
        </Button>
      </form>
      <p className="muted said">{t('password.hint')}</p>
      <ProblemText error={change.error} />
      {change.isSuccess && (
        <p className="said state-run" role="status">
          {t('password.changed')}
        </p>
      )}
    </Card>
  )
}
