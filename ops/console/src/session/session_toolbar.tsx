import { Button, NativeSelect, TextInput } from '@mantine/core'
import type { Status } from '../api/schema.gen'
import { useCurrentGroup } from '../shell/current_group'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import type { SessionFilter } from './session_rows'

const LIVE: Status[] = [
  'PENDING',
  'RESERVED',
  'SCHEDULED',
  'PREPARING',
  'PULLING',
  'PREPARED',
  'CREATING',
  'RUNNING',
  'TERMINATING',
  'RESCHEDULING',
]
const FINISHED: Status[] = ['TERMINATED', 'CANCELLED', 'ERROR']

type Props = {
  finished: boolean
  filter: SessionFilter
  live: number
  set: (changes: Record<string, string | null>) => void
}

export function SessionToolbar({ finished, filter, live, set }: Props) {
  const { t } = useText()
  const { groups } = useCurrentGroup()
  return (
    <div className="page-head">
      <h1>{t('nav.sessions')}</h1>
      <div className="tabs" role="tablist" aria-label={t('nav.sessions')}>
        <button
          type="button"
          role="tab"
          aria-selected={!finished}
          onClick={() => set({ tab: null, status: null })}
        >
          {t('session.live')} <span className="number tab-count">{live}</span>
        </button>
        <button
          type="button"
          role="tab"
          aria-selected={finished}
          onClick={() => set({ tab: 'finished', status: null })}
        >
          {t('session.finished')}
        </button>
      </div>
      <span className="grow" />
      <TextInput
        className="filter-text"
        aria-label={t('session.filter')}
        placeholder={t('session.filter')}
        leftSection={<Icon name="search" size={14} />}
        value={filter.text}
        onChange={(event) => set({ q: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label={t('session.status')}
        value={filter.status}
        onChange={(event) => set({ status: event.currentTarget.value })}
        data={[{ value: '', label: t('session.any-status') }, ...(finished ? FINISHED : LIVE)]}
      />
      <NativeSelect
        aria-label={t('session.group')}
        value={filter.group}
        onChange={(event) => set({ group: event.currentTarget.value })}
        data={[{ value: '', label: t('session.any-group') }, ...groups]}
      />
      {(filter.text || filter.status || filter.group) && (
        <Button variant="subtle" onClick={() => set({ q: null, status: null, group: null })}>
          {t('table.no-filter')}
        </Button>
      )}
    </div>
  )
}
