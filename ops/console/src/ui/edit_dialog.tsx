import { useState, type ReactNode } from 'react'
import { Button, Checkbox, Modal, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Problem, messageAt } from '../api/problem'
import { useText } from '../text/text'
import { ProblemText } from './page_state'
import './edit_dialog.css'

export type Values = Record<string, string>

/** A line of a form. `place`: what the server calls it. A checkbox is 'yes' or ''. */
export type Field = {
  name: string
  label: string
  kind?: 'text' | 'lines' | 'select' | 'check'
  choices?: (string | { value: string; label: string })[]
  hint?: string
  place?: string
  required?: boolean
  fixed?: boolean
  /** Stands beside the next one where there is room. */
  half?: boolean
}

type Props = {
  title: string
  fields: Field[]
  initial?: Values
  action: string
  danger?: boolean
  /** Whether it could only be refused as it stands. */
  blocked?: (values: Values) => boolean
  effect?: (values: Values) => ReactNode
  submit: (values: Values, reason: string) => Promise<unknown>
  close: () => void
  /** In place of `close`, where what is shown next depends on the answer. */
  done?: () => void
}

/** A form in a dialog: shows what would change before it is sent, and what the server refused beside its field. */
export function EditDialog({
  title,
  fields,
  initial = {},
  action,
  danger,
  blocked,
  effect,
  submit,
  close,
  done = close,
}: Props) {
  const { t } = useText()
  const [values, setValues] = useState<Values>(initial)
  const [reason, setReason] = useState('')
  const send = useMutation({ mutationFn: () => submit(values, reason), onSuccess: done })
  const problem = send.error instanceof Problem ? send.error : null
  return (
    <Modal opened onClose={close} title={title} size={520}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate()
        }}
      >
        {fields.length > 0 && (
          <div className="edit-fields">
            {fields.map((field) => (
              <div key={field.name} className={field.half ? 'edit-half' : undefined}>
                <FieldInput
                  field={field}
                  value={values[field.name] ?? ''}
                  error={messageAt(problem, field.place ?? field.name)}
                  set={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
                />
              </div>
            ))}
          </div>
        )}
        {effect?.(values) ?? <Changes fields={fields} before={initial} after={values} />}
        <TextInput
          label={t('edit.reason')}
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <ProblemText error={send.error} />
        <div className="line dialog-actions">
          <Button variant="default" onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red' : undefined}
            disabled={blocked?.(values)}
            loading={send.isPending}
          >
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

type InputProps = { field: Field; value: string; error?: string; set: (value: string) => void }

function FieldInput({ field, value, error, set }: InputProps) {
  const { kind = 'text', label, hint, choices = [], required, fixed } = field
  const common = { label, description: hint, error, required, readOnly: fixed }
  if (kind === 'select' && !fixed)
    return (
      <NativeSelect
        {...common}
        data={choices}
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      />
    )
  if (kind === 'check')
    return (
      <Checkbox
        label={label}
        description={hint}
        error={error}
        checked={value === 'yes'}
        onChange={(event) => set(event.currentTarget.checked ? 'yes' : '')}
      />
    )
  if (kind === 'lines')
    return (
      <Textarea {...common} rows={4} value={value} onChange={(event) => set(event.currentTarget.value)} />
    )
  return (
    <TextInput
      {...common}
      autoComplete="off"
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
}

/** Field by field, what was and what would be. */
function Changes({ fields, before, after }: { fields: Field[]; before: Values; after: Values }) {
  const { t } = useText()
  const changed = fields.filter(
    ({ name }) => Object.keys(before).length > 0 && (before[name] ?? '') !== (after[name] ?? ''),
  )
  if (changed.length === 0) return null
  return (
    <section aria-label={t('edit.changes')} aria-live="polite">
      <h2>{t('edit.changes')}</h2>
      <ul className="changes">
        {changed.map(({ name, label }) => (
          <li key={name}>
            {label}: <del>{before[name] || '–'}</del> → <ins>{after[name] || '–'}</ins>
          </li>
        ))}
      </ul>
    </section>
  )
}
