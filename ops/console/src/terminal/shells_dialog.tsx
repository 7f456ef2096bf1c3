import { useState, type FormEvent } from 'react'
import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, part } from '../api/client'
import type { Session } from '../api/schema.gen'
import { go } from '../app/router'
import { useText, type Translate } from '../text/text'
import { Failed, Loading, ProblemText } from '../ui/page_state'
import { PlainTable } from '../ui/plain_table'
import type { CardColumn } from '../ui/row_card'
import { timeColumn } from '../ui/time_column'
import { shellsPath, terminalHash, type ShellName } from './terminal_address'

type Shell = { name: string; command: string; started_at: string; clients: number }
type Props = { session: Session; shell: ShellName; close: () => void }

const NAME = '[A-Za-z0-9._\\-]{1,64}'

/** The shells of a kernel: to go to one, to make another, to end one; it asks first. */
export function ShellsDialog({ session, shell, close }: Props) {
  const { t } = useText()
  const [ending, setEnding] = useState<Shell | null>(null)
  const title = ending
    ? t('shells.end-title', { name: ending.name })
    : t('shells.title', { name: session.name })
  return (
    <Modal opened onClose={close} title={title} size={640} returnFocus={false}>
      {ending ? (
        <EndShell shell={{ ...shell, name: ending.name }} back={() => setEnding(null)} />
      ) : (
        <div className="stack">
          <Kernels session={session} shell={shell} close={close} />
          <Shells shell={shell} close={close} end={setEnding} />
          <NewShell shell={shell} close={close} />
        </div>
      )}
    </Modal>
  )
}

function Kernels({ session, shell, close }: Props) {
  const { t } = useText()
  const names = session.kernels.map(({ name }) => name)
  if (names.length < 2) return null
  return (
    <NativeSelect
      label={t('session.kernel')}
      data={names}
      value={shell.kernel}
      onChange={(event) => {
        close()
        go(terminalHash({ session: shell.session, kernel: event.currentTarget.value }))
      }}
    />
  )
}

const keyOf = ({ session, kernel }: ShellName) => ['shells', session, kernel]

function Shells({ shell, close, end }: Omit<Props, 'session'> & { end: (shell: Shell) => void }) {
  const { t } = useText()
  const { session, kernel } = shell
  const list = useQuery({
    queryKey: keyOf(shell),
    queryFn: ({ signal }) =>
      call<{ items: Shell[] }>('GET', shellsPath(session), { query: { kernel }, signal }),
    staleTime: 0,
  })
  if (list.error) return <Failed error={list.error} retry={() => void list.refetch()} />
  if (!list.data) return <Loading />
  if (list.data.items.length === 0) return <p className="muted said">{t('shells.none')}</p>
  return (
    <PlainTable
      label={t('terminal.shells')}
      rows={list.data.items}
      keyOf={({ name }) => name}
      columns={columnsOf(t, shell, close, end)}
    />
  )
}

function columnsOf(
  t: Translate,
  here: ShellName,
  close: () => void,
  end: (shell: Shell) => void,
): CardColumn<Shell>[] {
  return [
    {
      key: 'name',
      title: t('session.name'),
      card: 'head',
      render: ({ name }) =>
        name === here.name ? (
          <strong>{t('shells.this', { name })}</strong>
        ) : (
          <a href={terminalHash({ ...here, name })} onClick={close}>
            {name}
          </a>
        ),
    },
    {
      key: 'command',
      title: t('session.command'),
      card: 'detail',
      render: ({ command }) => <span className="mono wrap">{command}</span>,
    },
    timeColumn('started', t('shells.since'), ({ started_at }) => started_at),
    {
      key: 'clients',
      title: t('shells.windows'),
      right: true,
      card: 'detail',
      titled: true,
      render: ({ clients }) => <span className="number">{clients}</span>,
    },
    {
      key: 'act',
      title: t('session.control'),
      right: true,
      card: 'side',
      render: (shell) => (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t('shells.end-of', { name: shell.name })}
          onClick={() => end(shell)}
        >
          {t('shells.end')}
        </Button>
      ),
    },
  ]
}

function NewShell({ shell, close }: Omit<Props, 'session'>) {
  const { t } = useText()
  const [name, setName] = useState('')
  const open = (event: FormEvent) => {
    event.preventDefault()
    close()
    go(terminalHash({ ...shell, name }))
  }
  return (
    <form className="line shells-new" onSubmit={open}>
      <TextInput
        className="grow"
        aria-label={t('shells.name')}
        placeholder={t('shells.name')}
        title={t('shells.name-hint')}
        pattern={NAME}
        required
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit">{t('shells.open')}</Button>
    </form>
  )
}

function EndShell({ shell, back }: { shell: ShellName; back: () => void }) {
  const { t } = useText()
  const client = useQueryClient()
  const { session, kernel, name } = shell
  const end = useMutation({
    mutationFn: () => call('DELETE', `${shellsPath(session)}/${part(name)}`, { query: { kernel } }),
    onSuccess: back,
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(shell) }),
  })
  return (
    <div className="stack">
      <p className="said">{t('shells.end-effect')}</p>
      <ProblemText error={end.error} />
      <div className="line dialog-actions">
        <Button variant="default" onClick={back}>
          {t('action.cancel')}
        </Button>
        <Button color="red" data-autofocus loading={end.isPending} onClick={() => end.mutate()}>
          {t('shells.end')}
        </Button>
      </div>
    </div>
  )
}
