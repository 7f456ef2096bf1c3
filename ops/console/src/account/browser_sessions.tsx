import { useMutation } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { call, part } from '../api/client'
import type { BrowserSession } from '../api/identity'
import { useMe } from '../app/account_context'
import { useTable } from '../live/use_live'
import { useText } from '../text/text'
import { Failed, Loading, ProblemText } from '../ui/page_state'
import { RelativeTime } from '../ui/time'
import { Card } from './card'
import { clientName } from './client_name'

/** Where one is signed in, each with a way to end it. */
export function BrowserSessions() {
  const { t } = useText()
  const me = useMe()
  const { rows, loaded, failure } = useTable('browser_sessions')
  const end = useMutation({ mutationFn: (id: string) => call('DELETE', `/v1/browser-sessions/${part(id)}`) })
  const own = [...rows.values()].filter(({ user }) => user === me.user)
  return (
    <Card title={t('account.browsers')}>
      <ProblemText error={end.error} />
      {failure ? (
        <Failed error={failure} />
      ) : !loaded ? (
        <Loading />
      ) : (
        <div className="scroll-x" tabIndex={0} role="region" aria-label={t('account.browsers')}>
          <table className="plain">
            <thead>
              <tr>
                <th>{t('browser.client')}</th>
                <th>{t('browser.address')}</th>
                <th className="right">{t('browser.since')}</th>
                <th className="right">{t('key.used')}</th>
                <th className="right">{t('key.expires')}</th>
                <th className="right">{t('session.control')}</th>
              </tr>
            </thead>
            <tbody>
              {own.map((one) => (
                <BrowserRow
                  key={one.id}
                  one={one}
                  current={one.id === me.browser_session}
                  end={() => end.mutate(one.id)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}

function BrowserRow({ one, current, end }: { one: BrowserSession; current: boolean; end: () => void }) {
  const { t } = useText()
  return (
    <tr>
      <td title={one.client}>{clientName(one.client) || '–'}</td>
      <td className="number">{one.address}</td>
      <td className="right">
        <RelativeTime at={one.started_at} />
      </td>
      <td className="right">
        <RelativeTime at={one.used_at} />
      </td>
      <td className="right">
        <RelativeTime at={one.expires_at} />
      </td>
      <td className="right">
        {current ? (
          <span className="muted">{t('browser.this')}</span>
        ) : (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={t('browser.end-of', { client: clientName(one.client) })}
            onClick={end}
          >
            {t('browser.end')}
          </Button>
        )}
      </td>
    </tr>
  )
}
