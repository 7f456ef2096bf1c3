import { useState, type FormEvent } from 'react'
import { Button, TextInput } from '@mantine/core'
import { useText } from '../text/text'
import { appHref, isPort } from './app_address'

/** Whatever else listens on a port of the kernel's loopback, started by hand. */
export function PortForm({ session, close }: { session: string; close: () => void }) {
  const { t } = useText()
  const [port, setPort] = useState('')
  const isGiven = isPort(port)
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (!isGiven) return
    window.open(appHref({ session, app: port }), '_blank', 'noopener')
    close()
  }
  return (
    <form className="apps-port" onSubmit={open}>
      <TextInput
        className="grow"
        label={t('apps.port')}
        description={t('apps.port.hint')}
        placeholder="8501"
        inputMode="numeric"
        autoComplete="off"
        error={port !== '' && !isGiven ? t('apps.bad-port') : undefined}
        value={port}
        onChange={(event) => setPort(event.currentTarget.value.trim())}
      />
      <Button type="submit" variant="default" disabled={!isGiven}>
        {t('apps.open')}
      </Button>
    </form>
  )
}
