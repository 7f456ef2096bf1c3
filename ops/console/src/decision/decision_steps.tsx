import { useQuery } from '@tanstack/react-query'
import { showAmount, kindOf, microOf, slotName } from '../amount/amount'
import { call } from '../api/client'
import type { Decision, DecisionQueueStep, DecisionSearch } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { useText, type Translate } from '../text/text'
import { FailureText, Loading } from '../ui/page_state'
import { PlainTable } from '../ui/plain_table'
import type { CardColumn } from '../ui/row_card'
import { placesText, queueShown } from './decision'
import './decision.css'

const amountText = (slot: string, amount: string) => showAmount(microOf(amount), kindOf(slot))

/** The queue as the pass found it, what took agents out, what the others scored, and whether it comes out as recorded. */
export default function DecisionSteps({ position }: { position: string }) {
  const { t } = useText()
  const { data, error, refetch } = useQuery({
    queryKey: ['decision', position],
    queryFn: ({ signal }) => call<Decision>('GET', `/v1/decisions/${position}`, { signal }),
    staleTime: Infinity,
  })
  if (error)
    return (
      <div className="page-state">
        <FailureText error={error} retry={() => void refetch()} />
      </div>
    )
  if (!data) return <Loading />
  return (
    <section className="decision stack" aria-label={t('decision.title')}>
      <h2>{t('decision.title')}</h2>
      <p className={data.equal ? 'decision-equal' : 'decision-differs'}>
        {t(data.equal ? 'decision.equal' : 'decision.differs')} <span className="mono">{placesText(data.places)}</span>
      </p>
      {!data.equal && (
        <p>
          {t('decision.recorded')} <span className="mono">{placesText(data.record)}</span>
        </p>
      )}
      <p className="muted">
        {t('decision.policy', {
          group: data.group,
          order: data.policy.order,
          head: data.policy.head_of_line,
          select: data.policy.select,
        })}
      </p>
      <Queue decision={data} />
      {data.was_held && <p>{t('decision.was-held')}</p>}
      {data.searches.map((search) => (
        <Search key={search.kernel} search={search} />
      ))}
      {data.victims_count > 0 && <p>{t('decision.victims', { count: data.victims_count })}</p>}
    </section>
  )
}

function Queue({ decision }: { decision: Decision }) {
  const { t } = useText()
  const rows = queueShown(decision)
  const columns: CardColumn<DecisionQueueStep>[] = [
    { key: 'place', title: '#', right: true, card: 'detail', titled: true, render: ({ place }) => place },
    {
      key: 'session',
      title: t('event.session'),
      card: 'head',
      render: ({ session, name }) =>
        session ? <a href={hashOf(['sessions'], { open: session })}>{name}</a> : t('decision.hidden'),
    },
    { key: 'user', title: t('role.user'), card: 'detail', render: ({ user }) => user ?? '–' },
    { key: 'outcome', title: t('decision.outcome'), card: 'detail', render: (row) => outcomeText(row, t) },
  ]
  return (
    <>
      <h3>{t('decision.queue', { count: decision.queue_count })}</h3>
      <PlainTable
        label={t('decision.queue', { count: decision.queue_count })}
        rows={rows}
        keyOf={({ place }) => String(place)}
        columns={columns}
      />
    </>
  )
}

function outcomeText({ outcome, code, slot }: DecisionQueueStep, t: Translate): string {
  const why = [code, slot && slotName(slot)].filter(Boolean).join(', ')
  return t(`decision.${outcome}`) + (why ? `: ${why}` : '')
}

function Search({ search }: { search: DecisionSearch }) {
  const { t } = useText()
  return (
    <>
      <h3>{t('decision.search', { kernel: search.kernel, count: search.agents })}</h3>
      <ul className="decision-filters">
        {search.filters.map(({ filter, text, removed_count, removed }) => (
          <li key={filter}>
            <span className="mono">{filter}</span> {t('decision.removed', { count: removed_count })}: {text}
            <div className="muted">
              {removed
                .map(({ agent, slot, missing }) =>
                  slot && missing
                    ? `${agent} (${t('decision.lacks', { what: `${amountText(slot, missing)} ${slotName(slot)}` })})`
                    : agent,
                )
                .join(', ')}
            </div>
          </li>
        ))}
      </ul>
      <ol className="decision-ranked">
        {search.remaining.map(({ agent, scores }) => (
          <li key={agent}>
            {agent}{' '}
            <span className="muted">
              {scores
                .map(({ name, slot, value }) =>
                  `${name}${slot ? ` ${slotName(slot)}` : ''} ${value === null ? '–' : slot ? amountText(slot, value) : value}`,
                )
                .join(', ')}
            </span>
          </li>
        ))}
      </ol>
      {search.ties > 1 && <p className="muted">{t('decision.ties', { count: search.ties })}</p>}
    </>
  )
}
