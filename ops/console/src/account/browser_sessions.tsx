import { useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { call, part } from '../api/client'
import type { BrowserSession } from '../api/identity'
import { useRefresh } from '../live/use_refresh'
import { useText, type Translate } from '../text/text'
import { EditDialog } from '../ui/edit_dialog'
import { Failed, Loading } from '../ui/page_state'
import { PlainTable } from '../ui/plain_table'
import type { CardColumn } from '../ui/row_card'
import { timeColumn } from '../ui/time_column'
import { Card } from './card'
import { clientName } from './client_name'

const KEY = ['browser-sessions']
const AT_MOST_EVERY_MS = 1_000

/** Where one is signed in, each with a way to end it. The stream tells that the list has changed, and no rows of it. */
export function BrowserSessions() {
  const { t } = useText()
  useRefresh(KEY, ['browser_sessions'], AT_MOST_EVERY_MS)
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) =>
      call<{ browser_sessions: BrowserSession[] }>('GET', '/v1/browser-sessions', { signal }),
    refetchOnWindowFocus: 'always',
  })
  const [ending, setEnding] = useState<BrowserSession | null>(null)
  return (
    <Card title={t('account.browsers')}>
      {list.error ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : !list.data ? (
        <Loading />
      ) : (
        <PlainTable
          label={t('account.browsers')}
          rows={list.data.browser_sessions}
          keyOf={({ id }) => id}
          columns={columnsOf(t, setEnding)}
        />
      )}
      {ending && <EndDialog one={ending} close={() => setEnding(null)} />}
    </Card>
  )
}

function EndDialog({ one, close }: { one: BrowserSession; close: () => void }) {
  const { t } = useText()
  const client = useQueryClient()
  return (
    <EditDialog
      title={t('browser.end-title', { client: clientName(one.client) || one.address })}
      fields={[]}
      danger
      action={t('browser.end')}
      effect={() => <p className="said">{t('browser.end-effect')}</p>}
      submit={(_, reason) =>
        call('DELETE', `/v1/browser-sessions/${part(one.id)}`, { query: { reason } }).finally(() =>
          client.invalidateQueries({ queryKey: KEY }),
        )
      }
      close={close}
    />
  )
}

function columnsOf(t: Translate, end: (one: BrowserSession) => void): CardColumn<BrowserSession>[] {
  return [
    {
      key: 'client',
      title: t('browser.client'),
      card: 'head',
      render: ({ client }) => <span title={client}>{clientName(client) || '–'}</span>,
    },
    {
      key: 'address',
      title: t('browser.address'),
      card: 'detail',
      render: ({ address }) => <span className="number">{address}</span>,
    },
    timeColumn('since', t('browser.since'), ({ started_at }) => started_at),
    timeColumn('used', t('key.used'), ({ used_at }) => used_at),
    timeColumn('expires', t('key.expires'), ({ expires_at }) => expires_at),
    {
      key: 'act',
      title: t('session.control'),
      right: true,
      card: 'side',
      render: (one) =>
        one.current ? (
          <span className="muted">{t('browser.this')}</span>
        ) : (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={t('browser.end-of', { client: clientName(one.client) })}
            onClick={() => end(one)}
          >
            {t('browser.end')}
          </Button>
        ),
    },
  ]
}
