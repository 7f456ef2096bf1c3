import { useQuery } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { call, part } from '../api/client'
import { pageHint } from '../api/problem'
import type { Explanation, Session } from '../api/schema.gen'
import { kindOf, microOf, showAmount, slotName } from '../amount/amount'
import { useTable } from '../live/use_live'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { Failed } from '../ui/page_state'
import { RelativeTime } from '../ui/time'
import { useMayEnd } from './use_may_end'

const AT_MOST_EVERY_MS = 2_000

/** Why a session waits or its agent is not there, as of now, and the proved ways out of it. */
export function SessionWhy({ session, end }: { session: Session; end: (sessions: Session[]) => void }) {
  const { t } = useText()
  const why = useQuery({
    queryKey: ['why', session.id, session.status],
    queryFn: ({ signal }) => call<Explanation>('GET', `/v1/sessions/${part(session.id)}/why`, { signal }),
    refetchInterval: AT_MOST_EVERY_MS,
  })
  if (why.error && !why.data) return <Failed error={why.error} retry={() => void why.refetch()} />
  if (!why.data) return null
  const title = t(session.agent_gone ? 'why.agent-gone' : 'why.title')
  const { text, hint, lacking, limits, unmet, queue_position, holders_total } = why.data
  return (
    <section className="why stack-tight" aria-label={title}>
      <h2 className="why-title">
        <Icon name="wait" size={14} /> {title}
      </h2>
      <p className="why-text">{text}</p>
      {pageHint(hint) && <p className="muted">{pageHint(hint)}</p>}
      <ul className="why-facts">
        {queue_position !== null && <li>{t('why.position', { n: queue_position })}</li>}
        {holders_total > 0 && <li>{t('why.holders', { n: holders_total })}</li>}
        {lacking.map((lack) => (
          <li key={lack.slot}>
            {t('why.lacking', {
              slot: slotName(lack.slot),
              asked: shown(lack.slot, lack.asked),
              free: shown(lack.slot, lack.best_free),
              where: lack.where,
            })}
          </li>
        ))}
        {limits.map((limit) => (
          <li key={`${limit.scope}/${limit.id}/${limit.what}`}>
            {t('why.limit', {
              scope: limit.scope,
              id: limit.id,
              what: slotName(limit.what),
              used: shown(limit.what, limit.used),
              asked: shown(limit.what, limit.asked),
              limit: shown(limit.what, limit.limit),
            })}
          </li>
        ))}
        {unmet.map((one) => (
          <li key={one.session}>{t('why.unmet', { name: one.name, status: one.status })}</li>
        ))}
        <EstimatedStart why={why.data} />
      </ul>
      <WaysOut why={why.data} end={end} />
    </section>
  )
}

const shown = (slot: string, amount: string) => showAmount(microOf(amount), kindOf(slot))

function EstimatedStart({ why }: { why: Explanation }) {
  const { t } = useText()
  const at = why.estimated_start?.p90?.at
  return at ? (
    <li>
      {t('why.estimate')} <RelativeTime at={at} />
    </li>
  ) : null
}

/** Each proved set of sessions whose end, or whose leaving of the queue, lets this one start. */
function WaysOut({ why, end }: { why: Explanation; end: (sessions: Session[]) => void }) {
  const { t } = useText()
  const { rows } = useTable('sessions')
  const mayEnd = useMayEnd()
  const { ends, leaves, lines, proved } = why.unblock
  const sets = [
    ...ends.map((ids) => ({ ids, key: 'why.end' as const })),
    ...leaves.map((ids) => ({ ids, key: 'why.leave' as const })),
  ]
  const offers = sets.flatMap(({ ids, key }) => {
    const sessions = ids.flatMap((id) => rows.get(id) ?? [])
    return sessions.length === ids.length && sessions.every(mayEnd) ? [{ sessions, key }] : []
  })
  if (lines.length === 0 && offers.length === 0)
    return proved ? null : <p className="muted">{t('why.too-large')}</p>
  return (
    <>
      <h2>{t('why.ways')}</h2>
      <ul className="why-facts">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <div className="line">
        {offers.map(({ sessions, key }) => {
          const names = sessions.map(({ name }) => name).join(', ')
          return (
            <Button
              key={key + names}
              variant="default"
              size="compact-xs"
              leftSection={<Icon name="power" size={12} />}
              onClick={() => end(sessions)}
            >
              {t(key, { names })}
            </Button>
          )
        })}
      </div>
    </>
  )
}
