import { useMemo } from 'react'
import type { Session } from '../api/schema.gen'
import { hasEnded } from '../live/tables'
import { useReadAgain, useRow, useTableAtLeisure } from '../live/use_live'
import { Failed, Loading } from '../ui/page_state'
import type { Sort } from '../ui/virtual_table'
import { gather, matches, sortRows, unfold, type SessionFilter, type SessionRow } from './session_rows'
import { useFinished } from './use_finished'

/** The sessions of a tab as its rows, and what stands in their place while they cannot be shown. */
export function useSessionList(
  finished: boolean,
  filter: SessionFilter,
  sort: Sort,
  opened: ReadonlySet<string>,
) {
  const table = useTableAtLeisure('sessions')
  const readAgain = useReadAgain('sessions')
  const ended = useFinished(table, filter.group, finished)
  const live = useMemo(() => [...table.rows.values()].filter((session) => !hasEnded(session)), [table])
  const all = finished ? ended.sessions : live
  const { text, status, group } = filter
  const shown = useMemo(() => {
    if (!text && !status && !group) return all
    return all.filter((session) => matches(session, { text, status, group }))
  }, [all, text, status, group])
  const { key, down } = sort
  const rows = useMemo(() => {
    const newestFirst = finished ? shown : shown.toReversed()
    return unfold(sortRows(gather(newestFirst), { key, down }), opened)
  }, [shown, finished, key, down, opened])
  const state = finished ? <HistoryState history={ended.history} /> : null
  const blocked = finished ? !ended.history.data : !table.loaded || table.failure !== null
  const liveState = table.failure ? <Failed error={table.failure} retry={readAgain} /> : <Loading />
  return {
    rows,
    shown,
    all,
    live: live.length,
    more: finished ? ended.more : undefined,
    instead: blocked ? (state ?? liveState) : null,
  }
}

function HistoryState({ history }: Pick<ReturnType<typeof useFinished>, 'history'>) {
  if (history.isPending) return <Loading />
  return <Failed error={history.error} retry={() => void history.refetch()} />
}

/** A row in sight with its session as of now; the list itself may be a moment behind. */
export function useLatestSession(row: SessionRow): SessionRow {
  const session: Session | undefined = useRow('sessions', row.kind === 'one' ? row.session.id : '')
  return row.kind === 'one' && session && session !== row.session ? { ...row, session } : row
}
