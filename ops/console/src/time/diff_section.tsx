import { useState } from 'react'
import { Button, TextInput } from '@mantine/core'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { call } from '../api/client'
import type { Diff } from '../api/schema.gen'
import { queries } from '../app/identity'
import { useMoment, usePlaceQuery } from '../app/router'
import { momentIn } from '../past/span'
import { readBounds } from '../past/read_bounds'
import { useBounds } from '../past/use_bounds'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { Failed, Loading, PageState, ProblemText } from '../ui/page_state'
import { absoluteText } from '../ui/time'
import { DiffRow } from './diff_row'

const PAGE = 100
const HOUR_MS = 3_600_000

/** What changed between two moments, noun by noun; both stand in the address. */
export function DiffSection() {
  const { t } = useText()
  const place = usePlaceQuery()
  const [from, to] = [place.get('from'), place.get('to')]
  return (
    <section className="time-card" aria-label={t('diff.title')}>
      <h2>{t('diff.title')}</h2>
      <Moments key={`${from} ${to}`} from={from} to={to} set={place.set} />
      {from && to ? <Changes from={from} to={to} /> : <p className="muted said">{t('diff.how')}</p>}
    </section>
  )
}

type MomentsProps = { from: string; to: string; set: (query: Record<string, string | null>) => void }

function Moments({ from, to, set }: MomentsProps) {
  const { t } = useText()
  const at = useMoment()
  const bounds = useBounds().data
  const pick = at || (bounds?.last.position ?? '')
  const [before, setBefore] = useState(from)
  const [after, setAfter] = useState(to)
  const lastHour = async () => {
    const { first, last } = await readBounds()
    const hourAgo = Date.parse(last.time) - HOUR_MS
    set({ from: momentIn({ first, last }, hourAgo), to: last.position })
  }
  const compare = async () =>
    set({ from: before.trim(), to: after.trim() || (await readBounds()).last.position })
  const ask = useMutation({ mutationFn: (act: () => Promise<void>) => act() }, queries)
  return (
    <form
      className="line diff-moments"
      onSubmit={(event) => {
        event.preventDefault()
        ask.mutate(compare)
      }}
    >
      <MomentInput label={t('diff.from')} value={before} set={setBefore} pick={pick} />
      <MomentInput label={t('diff.to')} value={after} set={setAfter} pick={pick} />
      <Button type="submit" disabled={before.trim() === ''}>
        {t('diff.compare')}
      </Button>
      <Button variant="default" onClick={() => ask.mutate(lastHour)}>
        {t('diff.last-hour')}
      </Button>
      <ProblemText error={ask.error} />
    </form>
  )
}

type InputProps = { label: string; value: string; set: (text: string) => void; pick: string }

/** A time with its zone or a position, as `at=` takes it; its button takes what the page shows. */
function MomentInput({ label, value, set, pick }: InputProps) {
  const { t } = useText()
  return (
    <TextInput
      label={label}
      className="diff-moment"
      placeholder={t('diff.moment-hint')}
      autoComplete="off"
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      rightSection={
        <button
          type="button"
          className="quiet"
          aria-label={t('diff.pick-of', { name: label })}
          title={t('diff.pick-of', { name: label })}
          onClick={() => set(pick)}
        >
          <Icon name="time" size={14} />
        </button>
      }
    />
  )
}

function Changes({ from, to }: { from: string; to: string }) {
  const { t, language } = useText()
  const diff = useInfiniteQuery(
    {
      queryKey: ['diff', from, to],
      queryFn: ({ pageParam, signal }) =>
        call<Diff>('GET', '/v1/diff', { query: { from, to, limit: PAGE, page: pageParam }, signal }),
      initialPageParam: '',
      getNextPageParam: (page) => page.next ?? undefined,
      staleTime: Infinity,
    },
    queries,
  )
  if (diff.error) return <Failed error={diff.error} retry={() => void diff.refetch()} />
  const first = diff.data?.pages[0]
  if (!first) return <Loading />
  const changes = diff.data?.pages.flatMap((page) => page.changes) ?? []
  return (
    <>
      <p className="said muted">
        {t('diff.between', {
          from: absoluteText(first.from.time, language),
          to: absoluteText(first.to.time, language),
        })}{' '}
        <span className="mono">
          {first.from.position} – {first.to.position}
        </span>
      </p>
      {changes.length === 0 ? (
        <PageState icon="ok" title={t('diff.none')} />
      ) : (
        <ol className="diff-rows" aria-label={t('diff.title')}>
          {changes.map((change) => (
            <DiffRow key={`${change.noun}/${change.id}`} change={change} />
          ))}
        </ol>
      )}
      {diff.hasNextPage && (
        <Button variant="default" loading={diff.isFetchingNextPage} onClick={() => void diff.fetchNextPage()}>
          {t('diff.more')}
        </Button>
      )}
    </>
  )
}
