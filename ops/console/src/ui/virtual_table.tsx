import { useRef, type ReactNode } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useNarrow } from './use_narrow'
import { useText } from '../text/text'
import './virtual_table.css'

export type Column<T> = {
  key: string
  title: string
  /** A track of CSS grid, such as `120px` or `minmax(120px, 2fr)`. */
  width: string
  right?: boolean
  /** Where the cell stands on a narrow screen's card; a column without it is left out there. */
  card?: 'head' | 'side' | 'detail' | 'act'
  sortable?: boolean
  heading?: ReactNode
  render: (row: T) => ReactNode
}

export type Sort = { key: string; down: boolean }

type Props<T> = {
  label: string
  rows: readonly T[]
  columns: Column<T>[]
  keyOf: (row: T) => string
  selected?: string
  open?: (row: T) => void
  sort?: Sort
  onSort?: (sort: Sort) => void
  onEnd?: () => void
  rowHeight?: number
}

/** As in virtual_table.css. */
const ROW = 34
const CARD = 68
const COLUMN_GAP = 10
const ROW_PADDING = 12

/** A table of any length: only the rows in sight are in the document. */
export function VirtualTable<T>(props: Props<T>) {
  const narrow = useNarrow()
  const scroller = useRef<HTMLDivElement>(null)
  const height = narrow ? CARD : (props.rowHeight ?? ROW)
  const virtual = useVirtualizer({
    count: props.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
    getItemKey: (index) => props.keyOf(props.rows[index] as T),
    onChange: ({ range }) => range && range.endIndex >= props.rows.length - 5 && props.onEnd?.(),
  })
  const tracks = { gridTemplateColumns: props.columns.map((column) => column.width).join(' ') }
  const least = narrow ? undefined : leastWidth(props.columns)
  return (
    <div
      className={narrow ? 'table table-narrow' : 'table'}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={props.label}
    >
      <div
        role="table"
        aria-label={props.label}
        aria-rowcount={props.rows.length + 1}
        style={{ minWidth: least }}
      >
        <Head {...props} tracks={tracks} />
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map((item) => {
            const row = props.rows[item.index] as T
            const place = { transform: `translateY(${item.start}px)`, height }
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                className={props.selected === item.key ? 'row row-selected' : 'row'}
                style={narrow ? place : { ...tracks, ...place }}
                onClick={(event) => openUnlessControl(event.target as HTMLElement, () => props.open?.(row))}
              >
                {narrow ? (
                  <Card row={row} columns={props.columns} />
                ) : (
                  <Cells row={row} columns={props.columns} />
                )}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Of all tracks at their narrowest, with what is between and beside them: a window that is narrower scrolls. */
function leastWidth<T>(columns: Column<T>[]): number {
  const tracks = columns.map(({ width }) => Number(/\d+/.exec(width)?.[0] ?? 0))
  return tracks.reduce((sum, track) => sum + track, 0) + (columns.length - 1) * COLUMN_GAP + 2 * ROW_PADDING
}

/** A click on a row opens it, but for those on what has a meaning of its own. */
function openUnlessControl(target: HTMLElement, open: () => void) {
  if (!target.closest('a, button, input, label')) open()
}

function Cells<T>({ row, columns }: { row: T; columns: Column<T>[] }) {
  return columns.map((column) => (
    <div key={column.key} role="cell" className={column.right ? 'cell cell-right' : 'cell'}>
      {column.render(row)}
    </div>
  ))
}

function Card<T>({ row, columns }: { row: T; columns: Column<T>[] }) {
  const at = (card: Column<T>['card']) =>
    columns
      .filter((column) => column.card === card)
      .map((column) => (
        <span key={column.key} role="cell" className="clip">
          {column.render(row)}
        </span>
      ))
  return (
    <>
      <span className="card-act" role="presentation">
        {at('act')}
      </span>
      <span className="card-head" role="presentation">
        {at('head')}
      </span>
      <span className="card-side" role="presentation">
        {at('side')}
      </span>
      <span className="card-detail" role="presentation">
        {at('detail')}
      </span>
    </>
  )
}

function Head<T>({ columns, sort, onSort, tracks }: Props<T> & { tracks: { gridTemplateColumns: string } }) {
  return (
    <div role="rowgroup" className="table-head">
      <div role="row" className="row-head" style={tracks} aria-rowindex={1}>
        {columns.map((column) => (
          <div
            key={column.key}
            role="columnheader"
            className={column.right ? 'cell cell-right' : 'cell'}
            aria-sort={ariaSort(column, sort)}
          >
            {column.sortable && onSort ? (
              <SortButton column={column} sort={sort} onSort={onSort} />
            ) : (
              (column.heading ?? column.title)
            )}
          </div>
        ))}
      </div>
    </div>
  )
}

function ariaSort<T>(column: Column<T>, sort?: Sort) {
  if (!column.sortable) return undefined
  if (sort?.key !== column.key) return 'none' as const
  return sort.down ? ('descending' as const) : ('ascending' as const)
}

function SortButton<T>({
  column,
  sort,
  onSort,
}: {
  column: Column<T>
  sort?: Sort
  onSort: (sort: Sort) => void
}) {
  const { t } = useText()
  const active = sort?.key === column.key
  return (
    <button
      type="button"
      className="sort"
      title={t('table.sort', { column: column.title })}
      onClick={() => onSort({ key: column.key, down: active ? !sort.down : false })}
    >
      {column.title}
      <span aria-hidden="true">{active ? (sort.down ? '↓' : '↑') : ''}</span>
    </button>
  )
}
