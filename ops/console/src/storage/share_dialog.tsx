import { useState } from 'react'
import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/client'
import { useText, type Translate } from '../text/text'
import { ProblemText } from '../ui/page_state'
import { folderPath, type Folder, type Share } from './folder'
import { nameOfShare } from './share'
import { useFoldersAgain } from './use_folders'

type Wanted = Pick<Share, 'user' | 'project'> & { access: Share['access'] | 'none' }

const accessChoices = (t: Translate) => [
  { value: 'read', label: t('access.read') },
  { value: 'write', label: t('access.write') },
]

/** With whom a folder is shared; each change is carried out at once. */
export function ShareDialog({ folder, close }: { folder: Folder; close: () => void }) {
  const { t } = useText()
  const again = useFoldersAgain()
  const share = useMutation({
    mutationFn: async (wanted: Wanted) => {
      await call('PUT', `${folderPath(folder)}/shares`, { body: wanted })
      await again()
    },
  })
  const shares = folder.shares ?? []
  return (
    <Modal opened onClose={close} title={t('storage.share-of', { name: folder.name })} size={560}>
      <div className="stack">
        {shares.length === 0 && <p className="muted said">{t('share.none')}</p>}
        {shares.length > 0 && (
          <ul className="shares" aria-label={t('storage.shared')}>
            {shares.map((one) => (
              <Line
                key={JSON.stringify([one.user, one.project])}
                share={one}
                name={nameOfShare(one, folder)}
                change={share.mutate}
              />
            ))}
          </ul>
        )}
        <ShareForm busy={share.isPending} add={(wanted, done) => share.mutate(wanted, { onSuccess: done })} />
        <p className="muted said">{t('share.effect')}</p>
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

type LineProps = { share: Share; name: string; change: (wanted: Wanted) => void }

function Line({ share, name, change }: LineProps) {
  const { t } = useText()
  const { access, ...whom } = share
  return (
    <li>
      <span className="grow wrap">
        {name} <span className="muted">{t(share.user ? 'scope.user' : 'scope.project')}</span>
      </span>
      <NativeSelect
        size="xs"
        aria-label={t('share.access-of', { name })}
        data={accessChoices(t)}
        value={access}
        onChange={(event) => change({ ...whom, access: event.currentTarget.value as Share['access'] })}
      />
      <Button
        variant="default"
        size="compact-xs"
        aria-label={t('share.withdraw-of', { name })}
        onClick={() => change({ ...whom, access: 'none' })}
      >
        {t('share.withdraw')}
      </Button>
    </li>
  )
}

function ShareForm({ busy, add }: { busy: boolean; add: (wanted: Wanted, done: () => void) => void }) {
  const { t } = useText()
  const [kind, setKind] = useState<'user' | 'project'>('user')
  const [name, setName] = useState('')
  const [access, setAccess] = useState<Share['access']>('read')
  return (
    <form
      className="share-form"
      onSubmit={(event) => {
        event.preventDefault()
        add({ [kind]: name.trim(), access }, () => setName(''))
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
      <NativeSelect
        aria-label={t('storage.access')}
        data={accessChoices(t)}
        value={access}
        onChange={(event) => setAccess(event.currentTarget.value as Share['access'])}
      />
      <Button type="submit" loading={busy}>
        {t('storage.share')}
      </Button>
    </form>
  )
}
