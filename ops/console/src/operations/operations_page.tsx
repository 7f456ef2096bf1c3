import { Suspense, lazy } from 'react'
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import { usePlaceQuery } from '../app/router'
import { showNumber } from '../plot/series'
import { useText } from '../text/text'
import { Failed, Loading, PageState } from '../ui/page_state'
import { AuditCard } from './audit_card'
import { BeatTable } from './beat_table'
import { WINDOWS, plotsOf, type Operations } from './operations'
import { lineTitle, plotTitle } from './plot_titles'
import { StateTiles } from './state_tiles'
import { StoreTable } from './store_table'
import './operations.css'

const Plot = lazy(() => import('../plot/plot'))

/** The server samples itself as often. */
const EVERY_MS = 5_000

/** How the controller itself does, from the ring of samples that it keeps: nothing else is needed to see it. */
export default function OperationsPage() {
  const { t } = useText()
  const place = usePlaceQuery()
  const window = WINDOWS.find((one) => one === place.get('window')) ?? '1h'
  const operations = useQuery({
    queryKey: ['operations', window],
    queryFn: ({ signal }) => call<Operations>('GET', '/v1/operations', { query: { window }, signal }),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  })
  const { data, error } = operations
  return (
    <section className="page page-long">
      <div className="page-head">
        <h1>{t('nav.operations')}</h1>
        <NativeSelect
          aria-label={t('usage.window')}
          value={window}
          data={WINDOWS.map((one) => ({ value: one, label: t(`operations.window-${one}`) }))}
          onChange={(event) => place.set({ window: event.currentTarget.value })}
        />
        {error && data && <span className="state-wait">{t('operations.stale')}</span>}
      </div>
      {!data && error ? (
        <Failed error={error} retry={() => void operations.refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <Body data={data} />
      )}
    </section>
  )
}

function Body({ data }: { data: Operations }) {
  const { t } = useText()
  return (
    <>
      <StateTiles data={data} />
      {data.times.length === 0 ? (
        <PageState icon="operations" title={t('operations.none')}>
          <p>{t('operations.none.hint')}</p>
        </PageState>
      ) : (
        <div className="plots">
          {plotsOf(data).map(({ name, unit, series }) => (
            <Suspense key={name} fallback={<Loading />}>
              <Plot
                title={plotTitle(name, t)}
                times={data.times}
                series={series.map(({ label, values }) => ({ label: lineTitle(label, name, t), values }))}
                binary={unit === 'bytes' || unit === 'bytes-per-second'}
                show={(value) => showNumber(value, unit)}
              />
            </Suspense>
          ))}
        </div>
      )}
      <StoreTable data={data} />
      <AuditCard />
      <BeatTable agents={data.agents} />
    </>
  )
}
