import { useState } from 'react'
import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useText, type Translate } from '../text/text'
import { ProblemText } from './page_state'
import { nameOfShared, type Access, type Shared } from './shared_with'
import './shares_dialog.css'

/** As it is to be: with nothing of it, it is withdrawn. */
export type Wanted = { user?: string; project?: string; access?: Access; withdraw: boolean }

type Props = {
  title: string
  list: string
  effect: string
  shares: readonly Shared[]
  /** Whose own domain is left out of the names of projects. */
  domain: string
  hasAccess: boolean
  change: (wanted: Wanted) => Promise<void>
  close: () => void
}

const accessChoices = (t: Translate) => [
  { value: 'read', label: t('access.read') },
  { value: 'write', label: t('access.write') },
]

/** With whom something is shared; each change is carried out at once. */
export function SharesDialog({ title, list, effect, shares, domain, hasAccess, change, close }: Props) {
  const { t } = useText()
  const share = useMutation({ mutationFn: change })
  return (
    <Modal opened onClose={close} title={title} size={560}>
      <div className="stack">
        {shares.length === 0 && <p className="muted said">{t('share.none')}</p>}
        {shares.length > 0 && (
          <ul className="shares" aria-label={list}>
            {shares.map((one) => (
              <Line
                key={JSON.stringify([one.user, one.project])}
                share={one}
                name={nameOfShared(one, domain)}
                change={share.mutate}
              />
            ))}
          </ul>
        )}
        <ShareForm
          busy={share.isPending}
          hasAccess={hasAccess}
          add={(wanted, done) => share.mutate(wanted, { onSuccess: done })}
        />
        <p className="muted said">{effect}</p>
        <ProblemText error={share.error} />
        <div className="line dialog-actions">
          <Button variant="default" onClick={close}>
            {t('action.close')}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

type LineProps = { share: Shared; name: string; change: (wanted: Wanted) => void }

function Line({ share, name, change }: LineProps) {
  const { t } = useText()
  const { access, ...whom } = share
  return (
    <li>
      <span className="grow wrap">
        {name} <span className="muted">{t(share.user ? 'scope.user' : 'scope.project')}</span>
      </span>
      {access && (
        <NativeSelect
          size="xs"
          aria-label={t('share.access-of', { name })}
          data={accessChoices(t)}
          value={access}
          onChange={(event) =>
            change({ ...whom, access: event.currentTarget.value as Access, withdraw: false })
          }
        />
      )}
      <Button
        variant="default"
        size="compact-xs"
        aria-label={t('share.withdraw-of', { name })}
        onClick={() => change({ ...whom, withdraw: true })}
      >
        {t('share.withdraw')}
      </Button>
    </li>
  )
}

type FormProps = { busy: boolean; hasAccess: boolean; add: (wanted: Wanted, done: () => void) => void }

function ShareForm({ busy, hasAccess, add }: FormProps) {
  const { t } = useText()
  const [kind, setKind] = useState<'user' | 'project'>('user')
  const [name, setName] = useState('')
  const [access, setAccess] = useState<Access>('read')
  return (
    <form
      className="share-form"
      onSubmit={(event) => {
        event.preventDefault()
        add({ [kind]: name.trim(), ...(hasAccess && { access }), withdraw: false }, () => setName(''))
      }}
    >
      <NativeSelect
        aria-label={t('share.kind')}
        data={[
          { value: 'user', label: t('scope.user') },
          { value: 'project', label: t('scope.project') },
        ]}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as 'user' | 'project')}
      />
      <TextInput
        className="share-name"
        aria-label={t('share.with')}
        placeholder={t('share.with')}
        autoComplete="off"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {hasAccess && (
        <NativeSelect
          aria-label={t('storage.access')}
          data={accessChoices(t)}
          value={access}
          onChange={(event) => setAccess(event.currentTarget.value as Access)}
        />
      )}
      <Button type="submit" loading={busy}>
        {t('storage.share')}
      </Button>
    </form>
  )
}
