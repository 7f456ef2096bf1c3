import { Suspense, lazy, useCallback, useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { reachOf } from '../api/identity'
import type { Session } from '../api/schema.gen'
import { useMe } from '../app/account_context'
import { hashOf, usePlaceQuery } from '../app/router'
import { hasEnded } from '../live/tables'
import { useTable } from '../live/use_live'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { Failed, Loading, PageState } from '../ui/page_state'
import { VirtualTable, type Sort } from '../ui/virtual_table'
import { SessionToolbar } from './session_toolbar'
import { sessionColumns, type RowActions } from './session_columns'
import { gather, matches, sortRows, unfold, type SessionRow } from './session_rows'
import { useFinished } from './use_finished'
import { useMayEnd } from './use_may_end'
import './session.css'

const SessionDrawer = lazy(() => import('./session_drawer'))
const TerminateDialog = lazy(() => import('./terminate_dialog'))

export default function SessionPage() {
  const { t } = useText()
  const place = usePlaceQuery()
  const finished = place.get('tab') === 'finished'
  const filter = { text: place.get('q'), status: place.get('status'), group: place.get('group') }
  const view = useSessions(finished, filter.group)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [ending, setEnding] = useState<Session[]>([])

  const shown = useMemo(
    () => view.sessions.filter((session) => matches(session, filter)),
    [view.sessions, filter.text, filter.status, filter.group],
  )
  const actions = useRowActions({ selected, setSelected, setOpened, setEnding, place })
  const showOwner = reachOf(useMe(), 'session', 'see') !== 'own'
  const columns = sessionColumns(t, actions, showOwner, shown)
  const sort = sortOf(place.get('sort'))
  const rows = useMemo(
    () => arrange(shown, opened, sort, finished),
    [shown, opened, sort.key, sort.down, finished],
  )
  const chosen = shown.filter((session) => selected.has(session.id) && !hasEnded(session))

  return (
    <section className="page">
      <SessionToolbar
        finished={finished}
        filter={filter}
        counts={view.counts}
        set={(changes) => place.set(changes)}
      />
      <SelectionBar chosen={chosen} end={() => setEnding(chosen)} clear={() => setSelected(new Set())} />
      {view.state ??
        (rows.length === 0 ? (
          <Empty finished={finished} filtered={Boolean(filter.text || filter.status || filter.group)} />
        ) : (
          <VirtualTable
            label={t('nav.sessions')}
            rows={rows}
            columns={columns}
            keyOf={(row) => row.key}
            selected={place.get('open')}
            open={(row) => (row.kind === 'one' ? actions.open(row.session) : actions.toggle(row))}
            sort={sort}
            onSort={({ key, down }) => place.set({ sort: `${down ? '-' : ''}${key}` })}
            onEnd={view.more}
          />
        ))}
      <p className="page-foot unshift">
        <span className="number">{t('table.shown', { shown: shown.length, all: view.sessions.length })}</span>
      </p>
      <Suspense fallback={null}>
        {place.get('open') && (
          <SessionDrawer
            id={place.get('open')}
            view={place.get('view')}
            setView={(name) => place.set({ view: name })}
            close={() => place.set({ open: null, view: null })}
            end={setEnding}
          />
        )}
        {ending.length > 0 && (
          <TerminateDialog
            sessions={ending}
            close={() => setEnding([])}
            done={() => setSelected(new Set())}
          />
        )}
      </Suspense>
    </section>
  )
}

/** The sessions of a tab, and what stands in their place while they cannot be shown. */
function useSessions(finished: boolean, group: string) {
  const live = useTable('sessions')
  const ended = useFinished(group, finished)
  const running = useMemo(() => [...live.rows.values()].filter((session) => !hasEnded(session)), [live])
  const counts = { running: running.length }
  if (finished) {
    const { history } = ended
    const state = history.isPending ? (
      <Loading />
    ) : history.error ? (
      <Failed error={history.error} retry={() => void history.refetch()} />
    ) : null
    return { sessions: ended.sessions, more: ended.more, counts, state }
  }
  const state = live.failure ? <Failed error={live.failure} /> : live.loaded ? null : <Loading />
  return { sessions: running, more: undefined, counts, state }
}

function arrange(
  sessions: Session[],
  opened: ReadonlySet<string>,
  sort: Sort,
  finished: boolean,
): SessionRow[] {
  const newestFirst = finished ? sessions : [...sessions].reverse()
  return unfold(sortRows(gather(newestFirst), sort), opened)
}

function sortOf(text: string): Sort {
  return text.startsWith('-') ? { key: text.slice(1), down: true } : { key: text, down: false }
}

type State = {
  selected: ReadonlySet<string>
  setSelected: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void
  setOpened: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void
  setEnding: (sessions: Session[]) => void
  place: ReturnType<typeof usePlaceQuery>
}

function useRowActions({ selected, setSelected, setOpened, setEnding, place }: State): RowActions {
  const mayEnd = useMayEnd()
  const flip = useCallback((set: ReadonlySet<string>, keys: string[], on: boolean) => {
    const next = new Set(set)
    keys.forEach((key) => (on ? next.add(key) : next.delete(key)))
    return next
  }, [])
  return {
    selected,
    mayEnd,
    select: (ids, on) => setSelected((before) => flip(before, ids, on)),
    toggle: (row) => setOpened((before) => flip(before, [row.key], !before.has(row.key))),
    open: (session, view) => place.set({ open: session.id, view: view ?? null }, {}),
    end: setEnding,
  }
}

function SelectionBar({ chosen, end, clear }: { chosen: Session[]; end: () => void; clear: () => void }) {
  const { t } = useText()
  if (chosen.length === 0) return null
  return (
    <div className="selection-bar" role="toolbar" aria-label={t('session.selected', { n: chosen.length })}>
      <span className="number">{t('session.selected', { n: chosen.length })}</span>
      <Button color="red" size="compact-xs" leftSection={<Icon name="power" size={12} />} onClick={end}>
        {t('session.terminate')}
      </Button>
      <Button variant="default" size="compact-xs" onClick={clear}>
        {t('session.clear-selection')}
      </Button>
    </div>
  )
}

function Empty({ finished, filtered }: { finished: boolean; filtered: boolean }) {
  const { t } = useText()
  const agents = useTable('agents')
  if (filtered)
    return (
      <PageState icon="search" title={t('session.none-match')}>
        <a href={hashOf(['sessions'], finished ? { tab: 'finished' } : {})}>{t('table.no-filter')}</a>
      </PageState>
    )
  if (finished) return <PageState icon="sessions" title={t('session.none-finished')} />
  if (agents.loaded && agents.rows.size === 0)
    return (
      <PageState icon="agents" title={t('agent.none')}>
        <a href="#/agents">{t('agent.how-to-add')}</a>
      </PageState>
    )
  return (
    <PageState icon="start" title={t('session.none')}>
      <p>{t('session.none.hint')}</p>
    </PageState>
  )
}
