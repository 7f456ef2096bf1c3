import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import type { Session, SessionList } from '../api/schema.gen'
import { go, hashOf } from '../app/router'
import { useRefresh } from '../live/use_refresh'
import { ReasonText } from '../session/reason_text'
import { useCurrentGroup } from '../shell/current_group'
import { useText, type Translate } from '../text/text'
import { Configuration } from '../ui/configuration'
import { Failed, Loading, PageState } from '../ui/page_state'
import { Elapsed } from '../ui/time'
import { VirtualTable, type Column } from '../ui/virtual_table'
import { BlockedBy, EstimatedStart } from './queue_cells'

const AT_MOST_EVERY_MS = 2_000
const SHOWN = 1_000

/** Who waits in the current group, in order, why, and since and until when. */
export default function QueuePage() {
  const { t } = useText()
  const { group } = useCurrentGroup()
  useRefresh(['queue', group], ['sessions', 'agents'], AT_MOST_EVERY_MS)
  const queue = useQuery({
    queryKey: ['queue', group],
    queryFn: ({ signal }) =>
      call<SessionList>('GET', '/v1/sessions', {
        query: { state: 'PENDING,RESERVED', group, limit: SHOWN },
        signal,
      }),
    enabled: group !== '',
    placeholderData: (before) => before,
  })
  const sessions = (queue.data?.sessions ?? []).toSorted(
    (a, b) => (a.queue_position ?? 0) - (b.queue_position ?? 0),
  )
  return (
    <section className="page">
      <div className="page-head">
        <h1>{t('nav.queue')}</h1>
        <span className="muted">{t('queue.of', { group })}</span>
        {queue.data && (
          <span className="muted number">
            {queue.data.next_page_token
              ? t('queue.first', { n: SHOWN })
              : t('queue.waiting', { n: sessions.length })}
          </span>
        )}
      </div>
      {queue.error ? (
        <Failed error={queue.error} retry={() => void queue.refetch()} />
      ) : queue.isPending && group ? (
        <Loading />
      ) : sessions.length === 0 ? (
        <PageState icon="ok" title={t('queue.empty')} />
      ) : (
        <VirtualTable
          label={t('nav.queue')}
          rows={sessions}
          columns={columnsOf(t)}
          keyOf={({ id }) => id}
          open={({ id }) => go(hashOf(['sessions'], { open: id }))}
        />
      )}
    </section>
  )
}

function columnsOf(t: Translate): Column<Session>[] {
  return [
    {
      key: 'position',
      title: '#',
      width: '44px',
      right: true,
      card: 'act',
      render: (session) => session.queue_position ?? '–',
    },
    {
      key: 'name',
      title: t('session.name'),
      width: 'minmax(110px, 1fr)',
      card: 'head',
      render: ({ id, name }) => <a href={hashOf(['sessions'], { open: id })}>{name}</a>,
    },
    {
      key: 'owner',
      title: t('session.owner'),
      width: 'minmax(64px, 0.5fr)',
      render: ({ owner }) => owner.user,
    },
    {
      key: 'configuration',
      title: t('session.configuration'),
      width: '184px',
      right: true,
      card: 'detail',
      render: ({ resources }) => <Configuration resources={resources} />,
    },
    {
      key: 'priority',
      title: t('session.priority'),
      width: '60px',
      right: true,
      render: ({ priority }) => priority,
    },
    {
      key: 'reason',
      title: t('session.reason'),
      width: 'minmax(170px, 1.8fr)',
      card: 'detail',
      render: (session) => <ReasonText session={{ ...session, queue_position: null }} />,
    },
    {
      key: 'blocked',
      title: t('queue.blocked-by'),
      width: 'minmax(90px, 0.7fr)',
      card: 'detail',
      titled: true,
      render: (session) => <BlockedBy session={session} />,
    },
    {
      key: 'since',
      title: t('queue.waits'),
      width: '84px',
      right: true,
      card: 'side',
      render: ({ created_at }) => <Elapsed from={created_at} />,
    },
    {
      key: 'start',
      title: t('queue.start'),
      width: '96px',
      right: true,
      card: 'detail',
      titled: true,
      render: (session) => <EstimatedStart session={session} />,
    },
  ]
}
