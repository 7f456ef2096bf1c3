import { Suspense, lazy, useMemo } from 'react'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import { usePlaceQuery } from '../app/router'
import { kindOf, slotName } from '../amount/amount'
import { showNumber } from '../plot/series'
import { instantOf, localText } from '../time/local_time'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { Failed, Loading, PageState } from '../ui/page_state'
import { saveText } from '../ui/save_text'
import { RelativeTime } from '../ui/time'
import {
  BYS,
  WINDOWS,
  csvOf,
  isCut,
  slotsOf,
  stepOf,
  usageLines,
  windowOf,
  type By,
  type Usage,
  type WindowName,
} from './usage'
import { UsageTable } from './usage_table'
import { Utilisations } from './utilisations'
import './usage.css'

const Plot = lazy(() => import('../plot/plot'))

const STEP_SECONDS = { '1h': 3_600, '1d': 86_400 } as const
const ASKED_EVERY_MS = 60_000

/** Who held how much for how long, in a window of the address: exact, and what waits and utilisation were beside it. */
export default function UsagePage() {
  const { t } = useText()
  const { from, to, name, by, set } = useWindow()
  const step = stepOf(from, to)
  const usage = useQuery({
    queryKey: ['usage', name === 'own' ? `${from} ${to}` : name, by],
    queryFn: ({ signal }) => call<Usage>('GET', '/v1/usage', { query: { from, to, by, step }, signal }),
    placeholderData: (before) => (before?.by === by ? before : undefined),
    refetchInterval: name === 'own' ? false : ASKED_EVERY_MS,
  })
  return (
    <section className="page page-long">
      <div className="page-head">
        <h1>{t('nav.usage')}</h1>
        <Picker {...{ from, to, name, by, set }} />
        <span className="grow" />
        {usage.data && <Download usage={usage.data} />}
      </div>
      {usage.error ? (
        <Failed error={usage.error} retry={() => void usage.refetch()} />
      ) : !usage.data ? (
        <Loading />
      ) : usage.data.rows.length === 0 ? (
        <PageState icon="usage" title={t('usage.none')} />
      ) : (
        <>
          {isCut(usage.data) && (
            <p className="said muted">
              {t('usage.since')} <RelativeTime at={usage.data.since} />
            </p>
          )}
          <Utilisations usage={usage.data} />
          <Plots usage={usage.data} stepSeconds={STEP_SECONDS[step]} />
          <UsageTable usage={usage.data} />
        </>
      )}
    </section>
  )
}

/** A window that ends now is the same for a minute, so that what is shown is of one moment. */
function useWindow() {
  const place = usePlaceQuery()
  const by = BYS.find((one) => one === place.get('by')) ?? 'user'
  const [from, to] = [place.get('from'), place.get('to')]
  const named = (Object.keys(WINDOWS) as WindowName[]).find((one) => one === place.get('window')) ?? 'day'
  const minute = Math.floor(Date.now() / ASKED_EVERY_MS)
  const lately = useMemo(() => windowOf(named, minute * ASKED_EVERY_MS), [named, minute])
  const isOwn = from !== '' && to !== ''
  const name = isOwn ? ('own' as const) : named
  return { ...(isOwn ? { from, to } : lately), name, by, set: place.set }
}

type PickerProps = {
  from: string
  to: string
  name: WindowName | 'own'
  by: By
  set: (query: Record<string, string | null>) => void
}

function Picker({ from, to, name, by, set }: PickerProps) {
  const { t } = useText()
  const bound = (which: 'from' | 'to', local: string) => {
    const instant = instantOf(local)
    if (instant) set({ from, to, [which]: instant, window: null })
  }
  return (
    <>
      <NativeSelect
        aria-label={t('usage.by')}
        value={by}
        data={BYS.map((one) => ({ value: one, label: t(`usage.by-${one}`) }))}
        onChange={(event) => set({ by: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label={t('usage.window')}
        value={name}
        data={[...(Object.keys(WINDOWS) as WindowName[]), 'own' as const].map((one) => ({
          value: one,
          label: t(`usage.window-${one}`),
        }))}
        onChange={({ currentTarget: { value } }) =>
          set(value === 'own' ? { from, to, window: null } : { from: null, to: null, window: value })
        }
      />
      {name === 'own' && (
        <>
          <TextInput
            type="datetime-local"
            aria-label={t('diff.from')}
            defaultValue={localText(from)}
            onBlur={(event) => bound('from', event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            aria-label={t('diff.to')}
            defaultValue={localText(to)}
            onBlur={(event) => bound('to', event.currentTarget.value)}
          />
        </>
      )}
    </>
  )
}

/** The table as it is shown, exact. */
function Download({ usage }: { usage: Usage }) {
  const { t } = useText()
  const name = `usage-by-${usage.by}-${usage.from.slice(0, 10)}-${usage.to.slice(0, 10)}.csv`
  const save = () => saveText(name, 'text/csv', csvOf(usage))
  return (
    <Button variant="default" leftSection={<Icon name="download" size={14} />} onClick={save}>
      {t('usage.csv')}
    </Button>
  )
}

function Plots({ usage, stepSeconds }: { usage: Usage; stepSeconds: number }) {
  const { t } = useText()
  if (usage.series.length === 0) return null
  return (
    <div className="plots">
      {slotsOf(usage).map((slot) => {
        const { times, series } = usageLines(usage, slot, stepSeconds, t('usage.others'))
        const isBytes = kindOf(slot) === 'bytes'
        const show = (value: number) => showNumber(value, isBytes ? 'bytes' : 'count')
        return (
          <Suspense key={slot} fallback={<Loading />}>
            <Plot
              title={slotName(slot)}
              note={t('usage.average')}
              times={times}
              series={series}
              show={show}
              stacked
              binary={isBytes}
            />
          </Suspense>
        )
      })}
    </div>
  )
}
