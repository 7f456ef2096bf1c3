import { Suspense, lazy, useCallback, useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { reachOf } from '../api/identity'
import type { Session } from '../api/schema.gen'
import { useMe } from '../app/account_context'
import { hashOf, setQuery, useMoment, usePlaceQuery } from '../app/router'
import { hasEnded } from '../live/tables'
import { useTable } from '../live/use_live'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { PageState } from '../ui/page_state'
import { VirtualTable, type Sort } from '../ui/virtual_table'
import { SelectAll } from './session_cells'
import { sessionColumns, type RowActions } from './session_columns'
import type { SessionRow } from './session_rows'
import { SessionToolbar } from './session_toolbar'
import { useMayEnd } from './use_may_end'
import { useMayOpen } from './use_may_open'
import { useLatestSession, useSessionList } from './use_session_list'
import './session.css'

const SessionDrawer = lazy(() => import('./session_drawer'))
const LauncherDialog = lazy(() => import('../launcher/launcher_dialog'))
const TerminateDialog = lazy(() => import('./terminate_dialog'))

export default function SessionPage() {
  const { t } = useText()
  const place = usePlaceQuery()
  const isPast = useMoment() !== ''
  const finished = place.get('tab') === 'finished'
  const filter = { text: place.get('q'), status: place.get('status'), group: place.get('group') }
  const sort = sortOf(place.get('sort'))
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [ending, setEnding] = useState<Session[]>([])
  const [launching, setLaunching] = useState<Session | null>(null)
  const list = useSessionList(finished, filter, sort, opened)
  const actions = useRowActions(selected, setSelected, setOpened, setEnding, setLaunching)
  const seesOthers = reachOf(useMe(), 'session', 'see') !== 'own'
  const showOwner = seesOthers || list.all.some(({ shared }) => shared)
  const columns = useMemo(
    () => sessionColumns(t, actions, { owner: showOwner, select: !finished && !isPast }),
    [t, actions, showOwner, finished, isPast],
  )
  const open = useCallback(
    (row: SessionRow) => (row.kind === 'one' ? actions.open(row.session) : actions.toggle(row)),
    [actions],
  )
  const chosen =
    selected.size > 0 ? list.shown.filter((session) => selected.has(session.id) && !hasEnded(session)) : []

  return (
    <section className="page">
      <SessionToolbar finished={finished} filter={filter} live={list.live} set={place.set} />
      <SelectionBar chosen={chosen} end={() => setEnding(chosen)} clear={() => setSelected(new Set())} />
      {list.instead ??
        (list.rows.length === 0 ? (
          <Empty finished={finished} filtered={Boolean(filter.text || filter.status || filter.group)} />
        ) : (
          <VirtualTable
            label={t('nav.sessions')}
            rows={list.rows}
            columns={columns}
            keyOf={keyOf}
            useLatest={useLatestSession}
            headings={{ select: <SelectAll actions={actions} all={list.shown} /> }}
            selected={place.get('open')}
            open={open}
            sort={sort}
            onSort={({ key, down }) => place.set({ sort: `${down ? '-' : ''}${key}` })}
            onEnd={list.more}
          />
        ))}
      <p className="page-foot unshift">
        <span className="number">{t('table.shown', { shown: list.shown.length, all: list.all.length })}</span>
      </p>
      <Suspense fallback={null}>
        {place.get('open') && (
          <SessionDrawer
            id={place.get('open')}
            view={place.get('view')}
            setView={(name) => place.set({ view: name })}
            close={() => place.set({ open: null, view: null })}
            end={setEnding}
            launch={setLaunching}
          />
        )}
        {launching && <LauncherDialog session={launching} close={() => setLaunching(null)} />}
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

const keyOf = (row: SessionRow) => row.key

function sortOf(text: string): Sort {
  return text.startsWith('-') ? { key: text.slice(1), down: true } : { key: text, down: false }
}

type SetChange = (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void

function useRowActions(
  selected: ReadonlySet<string>,
  setSelected: SetChange,
  setOpened: SetChange,
  setEnding: (sessions: Session[]) => void,
  launch: (session: Session) => void,
): RowActions {
  const mayEnd = useMayEnd()
  const mayOpen = useMayOpen()
  return useMemo(
    () => ({
      selected,
      mayEnd,
      mayOpen,
      select: (ids, on) => setSelected((before) => flipped(before, ids, on)),
      toggle: (row) => setOpened((before) => flipped(before, [row.key], !before.has(row.key))),
      open: (session, view) => setQuery({ open: session.id, view: view ?? null }, {}),
      end: setEnding,
      launch,
    }),
    [selected, mayEnd, mayOpen, setSelected, setOpened, setEnding, launch],
  )
}

function flipped(set: ReadonlySet<string>, keys: string[], on: boolean): ReadonlySet<string> {
  const next = new Set(set)
  keys.forEach((key) => (on ? next.add(key) : next.delete(key)))
  return next
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
        <a href={hashOf(['agents'])}>{t('agent.how-to-add')}</a>
      </PageState>
    )
  return (
    <PageState icon="start" title={t('session.none')}>
      <p>{t('session.none.hint')}</p>
    </PageState>
  )
}
