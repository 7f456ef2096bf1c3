import { useState } from 'react'
import { Button, Checkbox, Modal, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/client'
import type { Session } from '../api/schema.gen'
import { amountText, bySlotOrder, microOf } from '../amount/amount'
import { useText } from '../text/text'
import { slotText } from '../ui/configuration'
import { ProblemText } from '../ui/page_state'
import { StateBadge } from '../ui/state_badge'
import { SessionLosses } from './session_losses'
import { sumOf } from './session_rows'

type Outcome = { id: string; outcome: 'ending' | 'ended-already' | 'unknown' }
type Props = { sessions: Session[]; close: () => void; done: () => void }

const NAMED = 12
const AT_ONCE = 10_000

async function terminate(ids: string[], forced: boolean, reason: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let begin = 0; begin < ids.length; begin += AT_ONCE) {
    const body = { ids: ids.slice(begin, begin + AT_ONCE), forced, ...(reason && { reason }) }
    outcomes.push(...(await call<{ results: Outcome[] }>('POST', '/v1/sessions/terminate', { body })).results)
  }
  return outcomes
}

/** Says what ends, how many, which files are lost, and what becomes free; asks once. */
export default function TerminateDialog({ sessions, close, done }: Props) {
  const { t } = useText()
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const [forced, setForced] = useState(false)
  const running = sessions.filter((session) => session.agents.length > 0)
  const end = useMutation({
    mutationFn: () =>
      terminate(
        sessions.map(({ id }) => id),
        forced,
        reason,
      ),
    // What is lost is no question any more, and a session that has ended refuses it.
    onMutate: () => client.cancelQueries({ queryKey: ['losses'] }),
    onSuccess: (outcomes) => {
      void client.invalidateQueries({ queryKey: ['session'] })
      done()
      if (outcomes.every(({ outcome }) => outcome === 'ending')) close()
    },
  })
  const [first] = sessions
  const title =
    sessions.length === 1
      ? t('terminate.title-one', { name: first?.name ?? '' })
      : t('terminate.title', { n: sessions.length })
  return (
    <Modal opened onClose={close} title={title}>
      <div className="stack">
        <ul className="terminate-list">
          {sessions.slice(0, NAMED).map((session) => (
            <li key={session.id}>
              <span className="grow wrap">{session.name}</span>
              <span className="muted">{session.owner.user}</span>
              <StateBadge state={session.status} />
            </li>
          ))}
          {sessions.length > NAMED && (
            <li className="muted">{t('terminate.more', { n: sessions.length - NAMED })}</li>
          )}
        </ul>
        {!end.data && <SessionLosses sessions={sessions} />}
        <p className="said">
          {running.length > 0
            ? t('terminate.frees', { slots: sumText(running) })
            : t('terminate.leaves-queue')}
        </p>
        <TextInput
          label={t('terminate.reason')}
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {running.length > 0 && (
          <Checkbox
            label={t('terminate.forced')}
            description={t('terminate.forced.hint')}
            checked={forced}
            onChange={(event) => setForced(event.currentTarget.checked)}
          />
        )}
        <ProblemText error={end.error} />
        {end.data && <Outcomes outcomes={end.data} />}
        <div className="line dialog-actions">
          <Button variant="default" onClick={close}>
            {t(end.data ? 'action.close' : 'action.cancel')}
          </Button>
          {!end.data && (
            <Button color="red" data-autofocus loading={end.isPending} onClick={() => end.mutate()}>
              {sessions.length === 1 ? t('session.terminate') : t('terminate.do', { n: sessions.length })}
            </Button>
          )}
        </div>
      </div>
    </Modal>
  )
}

function sumText(sessions: Session[]): string {
  const sums = sumOf(sessions, microOf)
  return [...sums.keys()]
    .sort(bySlotOrder)
    .map((slot) => slotText(slot, amountText(sums.get(slot) ?? 0n)))
    .join(', ')
}

function Outcomes({ outcomes }: { outcomes: Outcome[] }) {
  const { t } = useText()
  const count = (wanted: Outcome['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length
  return (
    <p role="status">
      {t('terminate.outcome', {
        ending: count('ending'),
        ended: count('ended-already'),
        unknown: count('unknown'),
      })}
    </p>
  )
}
