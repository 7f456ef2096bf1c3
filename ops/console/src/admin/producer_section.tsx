import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import { may } from '../api/identity'
import { useMe } from '../app/account_context'
import { useText, type Translate } from '../text/text'
import { Icon } from '../ui/icons'
import { Failed, Loading, PageState } from '../ui/page_state'
import { RowActions } from '../ui/row_actions'
import { RelativeTime } from '../ui/time'
import { VirtualTable, type Column } from '../ui/virtual_table'
import { ProducerDialogs, type Doing, type Producer } from './producer_dialogs'
import { ownerText } from './producer_token'

/** Programs of others that write requests with keys of their own. No stream tells of them. */
export default function ProducerSection() {
  const { t } = useText()
  const me = useMe()
  const [doing, setDoing] = useState<Doing | null>(null)
  const producers = useQuery({
    queryKey: ['producers'],
    queryFn: async ({ signal }) =>
      (await call<{ producers: Producer[] }>('GET', '/v1/producers', { query: { limit: 1000 }, signal }))
        .producers,
  })
  const mayAdd = may(me, 'producer', 'create')
  const again = () => void producers.refetch()
  return (
    <>
      {mayAdd && (
        <div className="page-head">
          <span className="grow" />
          <Button leftSection={<Icon name="add" size={14} />} onClick={() => setDoing({ kind: 'add' })}>
            {t('producer.add')}
          </Button>
        </div>
      )}
      {producers.error ? (
        <Failed error={producers.error} retry={again} />
      ) : !producers.data ? (
        <Loading />
      ) : producers.data.length === 0 ? (
        <PageState icon="link" title={t('admin.none')}>
          <p>{t('producer.what')}</p>
        </PageState>
      ) : (
        <VirtualTable
          label={t('admin.producers')}
          rows={producers.data}
          columns={columnsOf(t, may(me, 'producer', 'change'), may(me, 'producer', 'end'), setDoing)}
          keyOf={({ name }) => name}
        />
      )}
      {doing && <ProducerDialogs doing={doing} set={setDoing} again={again} />}
    </>
  )
}

function columnsOf(
  t: Translate,
  mayChange: boolean,
  mayRemove: boolean,
  act: (doing: Doing) => void,
): Column<Producer>[] {
  return [
    {
      key: 'name',
      title: t('admin.name'),
      width: 'minmax(110px, 0.6fr)',
      card: 'head',
      render: ({ name, display_name }) => <span title={display_name}>{name}</span>,
    },
    {
      key: 'requests',
      title: t('producer.requests'),
      width: 'minmax(180px, 1.4fr)',
      card: 'detail',
      titled: true,
      render: ({ requests }) => <span title={requests.join(', ')}>{requests.join(', ') || '–'}</span>,
    },
    {
      key: 'owners',
      title: t('producer.owners'),
      width: 'minmax(150px, 1fr)',
      card: 'detail',
      titled: true,
      render: ({ owners }) => owners.map(ownerText).join(', ') || '–',
    },
    {
      key: 'key',
      title: t('producer.key'),
      width: '180px',
      card: 'detail',
      titled: true,
      render: (producer) => <KeyState producer={producer} />,
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '96px',
      right: true,
      card: 'side',
      render: (producer) => (
        <RowActions
          name={producer.name}
          actions={[
            ...(mayChange
              ? [
                  {
                    icon: 'edit' as const,
                    label: t('action.edit'),
                    act: () => act({ kind: 'edit', producer }),
                  },
                  {
                    icon: 'restore' as const,
                    label: t('producer.rotate'),
                    act: () => act({ kind: 'rotate', producer }),
                  },
                ]
              : []),
            ...(mayRemove
              ? [
                  {
                    icon: 'remove' as const,
                    label: t('producer.revoke'),
                    danger: true,
                    act: () => act({ kind: 'remove', producer }),
                  },
                ]
              : []),
          ]}
        />
      ),
    },
  ]
}

function KeyState({ producer }: { producer: Producer }) {
  const { t } = useText()
  const { disabled, generation, token_expires_at } = producer
  if (disabled) return <span className="state-wait">{t('user.disabled')}</span>
  if (!token_expires_at) return t('producer.generation', { n: generation })
  return (
    <>
      {t('producer.token-open')} <RelativeTime at={token_expires_at} />
    </>
  )
}
