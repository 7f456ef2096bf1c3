import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import { may } from '../api/identity'
import type { QuarantinePage } from '../api/schema.gen'
import { useMe } from '../app/account_context'
import { useText } from '../text/text'
import { EditDialog } from '../ui/edit_dialog'
import { Failed, Loading, PageState } from '../ui/page_state'
import { RowActions } from '../ui/row_actions'
import { VirtualTable, type Column } from '../ui/virtual_table'

type Held = QuarantinePage['quarantine'][number]

/** Inputs whose decision the fold refused: they wait until somebody has looked. No stream tells of them. */
export default function QuarantineSection() {
  const { t } = useText()
  const me = useMe()
  const [releasing, setReleasing] = useState<Held | null>(null)
  const held = useQuery({
    queryKey: ['quarantine'],
    queryFn: ({ signal }) =>
      call<QuarantinePage>('GET', '/v1/quarantine', { query: { limit: 1000 }, signal }),
  })
  if (held.isPending) return <Loading />
  if (held.error) return <Failed error={held.error} retry={() => void held.refetch()} />
  if (held.data.quarantine.length === 0)
    return (
      <PageState icon="ok" title={t('quarantine.none')}>
        <p>{t('quarantine.what')}</p>
      </PageState>
    )
  const columns: Column<Held>[] = [
    {
      key: 'subject',
      title: t('quarantine.subject'),
      width: 'minmax(200px, 2fr)',
      card: 'head',
      render: ({ subject }) => <span className="mono">{subject}</span>,
    },
    {
      key: 'failures',
      title: t('quarantine.failures'),
      width: '90px',
      right: true,
      card: 'detail',
      titled: true,
      render: ({ failures }) => failures,
    },
    {
      key: 'answered',
      title: t('quarantine.answered'),
      width: '120px',
      card: 'detail',
      titled: true,
      render: ({ answered }) => t(answered ? 'answer.yes' : 'answer.no'),
    },
    {
      key: 'act',
      title: t('session.control'),
      width: '60px',
      right: true,
      card: 'side',
      render: (one) =>
        may(me, 'quarantine', 'change', 'act', 'end') && (
          <RowActions
            name={one.subject}
            actions={[{ icon: 'out', label: t('quarantine.release'), act: () => setReleasing(one) }]}
          />
        ),
    },
  ]
  return (
    <>
      <VirtualTable
        label={t('admin.quarantine')}
        rows={held.data.quarantine}
        columns={columns}
        keyOf={({ subject }) => subject}
      />
      {releasing && (
        <EditDialog
          title={t('quarantine.release-of', { name: releasing.subject })}
          fields={[]}
          action={t('quarantine.release')}
          effect={() => <p className="said">{t('quarantine.effect')}</p>}
          submit={(_, reason) =>
            call('POST', '/v1/quarantine/release', {
              body: { subject: releasing.subject },
              query: { reason },
            })
          }
          close={() => setReleasing(null)}
          done={() => {
            setReleasing(null)
            void held.refetch()
          }}
        />
      )}
    </>
  )
}
