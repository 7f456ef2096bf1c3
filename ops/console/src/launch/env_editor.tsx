import { Button, TextInput } from '@mantine/core'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import type { EnvLine } from './launch_form'

type Props = { lines: EnvLine[]; error?: string; onChange: (lines: EnvLine[]) => void }

export function EnvEditor({ lines, error, onChange }: Props) {
  const { t } = useText()
  const change = (at: number, line: Partial<EnvLine>) =>
    onChange(lines.map((one, index) => (index === at ? { ...one, ...line } : one)))
  return (
    <fieldset className="env">
      <legend>{t('launch.env')}</legend>
      {lines.map((line, at) => (
        <div key={at} className="env-line">
          <TextInput
            aria-label={t('launch.env-name', { n: at + 1 })}
            placeholder={t('launch.env-name', { n: at + 1 })}
            value={line.name}
            onChange={(event) => change(at, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={t('launch.env-value', { n: at + 1 })}
            placeholder={t('launch.env-value', { n: at + 1 })}
            value={line.value}
            onChange={(event) => change(at, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            className="quiet"
            aria-label={t('launch.env-remove', { n: at + 1 })}
            onClick={() => onChange(lines.filter((_, index) => index !== at))}
          >
            <Icon name="close" size={12} />
          </button>
        </div>
      ))}
      {error && (
        <p className="amount-error" role="alert">
          {error}
        </p>
      )}
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<Icon name="add" size={12} />}
        onClick={() => onChange([...lines, { name: '', value: '' }])}
      >
        {t('launch.env-add')}
      </Button>
    </fieldset>
  )
}
