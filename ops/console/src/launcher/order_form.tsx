import { useState, type FormEvent } from 'react'
import { Button, TextInput } from '@mantine/core'
import { parseCommand } from '../launch/command_line'
import { EnvEditor } from '../launch/env_editor'
import { environmentOf, type EnvLine } from '../launch/launch_form'
import { useText } from '../text/text'
import { appHref } from './app_address'
import { runs, type SessionApp } from './session_app'
import { offerOrder } from './start_order'

type Props = { session: string; app: SessionApp; close: () => void; end: () => void }

/** What an app is started with besides its image's command. To one that runs it could not be given any more. */
export function OrderForm({ session, app, close, end }: Props) {
  const { t } = useText()
  const [words, setWords] = useState('')
  const [lines, setLines] = useState<EnvLine[]>([])
  if (runs(app))
    return (
      <div className="line">
        <p className="said grow">{t('apps.runs')}</p>
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t('apps.end-of', { app: app.title })}
          onClick={end}
        >
          {t('apps.end')}
        </Button>
      </div>
    )
  const given = parseCommand(words)
  const environment = environmentOf(lines)
  // In the very handler of the press: a window that opens later is one that browsers keep shut.
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (!given || !environment) return
    const order = offerOrder({ arguments: given, environment })
    window.open(appHref({ session, app: app.name }, order), '_blank', 'noopener')
    close()
  }
  return (
    <form className="stack" onSubmit={open}>
      <TextInput
        label={t('apps.arguments')}
        placeholder={t('apps.arguments.hint')}
        error={given ? undefined : t('launch.bad-command')}
        classNames={{ input: 'mono' }}
        autoComplete="off"
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      <EnvEditor lines={lines} error={environment ? undefined : t('launch.bad-env')} onChange={setLines} />
      <div className="line dialog-actions">
        <Button type="submit" disabled={!given || !environment}>
          {t('apps.start-so')}
        </Button>
      </div>
    </form>
  )
}
