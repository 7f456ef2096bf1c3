import { useRef, type CSSProperties, type ReactNode } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useText } from '../text/text'
import type { CardColumn } from './row_card'
import { TableRow } from './table_row'
import { useNarrow } from './use_narrow'
import './virtual_table.css'

export type Column<T> = CardColumn<T> & {
  /** A track of CSS grid, such as `120px` or `minmax(120px, 2fr)`. */
  width: string
  sortable?: boolean
}

export type Sort = { key: string; down: boolean }

type Props<T> = {
  label: string
  rows: readonly T[]
  /** Rows in sight render again when this changes: keep it. */
  columns: Column<T>[]
  keyOf: (row: T) => string
  useLatest?: (row: T) => T
  /** What stands above a column in place of its title, by its key. */
  headings?: Record<string, ReactNode>
  selected?: string
  open?: (row: T) => void
  sort?: Sort
  onSort?: (sort: Sort) => void
  onEnd?: () => void
}

/** A row's height, and the least of a card, as in row_card.css. */
const ROW = 34
const CARD = 68
const COLUMN_GAP = 10
const ROW_PADDING = 12

/** A table of any length: only the rows in sight are in the document. On a narrow screen they are cards. */
export function VirtualTable<T>(props: Props<T>) {
  const narrow = useNarrow()
  return <Rows key={String(narrow)} {...props} narrow={narrow} />
}

function Rows<T>(props: Props<T> & { narrow: boolean }) {
  const { label, rows, columns, keyOf, useLatest, selected, open, onEnd, narrow } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (narrow ? CARD : ROW),
    getItemKey: narrow ? (index) => keyOf(rows[index] as T) : undefined,
    overscan: 8,
    onChange: ({ range }) => range && range.endIndex >= rows.length - 5 && onEnd?.(),
  })
  return (
    <div
      className={narrow ? 'table table-narrow' : 'table'}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        style={{ minWidth: narrow ? undefined : leastWidth(columns), ...tracksOf(columns) }}
      >
        <Head {...props} />
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index] as T
            const key = keyOf(row)
            return (
              <TableRow
                key={key}
                {...{ row, index, columns, useLatest, open, start }}
                height={narrow ? undefined : ROW}
                measure={narrow ? virtual.measureElement : undefined}
                selected={key === selected}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Said once for the table; its rows come and go as it is scrolled. */
const tracksOf = <T,>(columns: Column<T>[]) =>
  ({ '--tracks': columns.map((column) => column.width).join(' ') }) as CSSProperties

/** Of all tracks at their narrowest, with what is between and beside them: a window that is narrower scrolls. */
function leastWidth<T>(columns: Column<T>[]): number {
  const tracks = columns.map(({ width }) => Number(/\d+/.exec(width)?.[0] ?? 0))
  return tracks.reduce((sum, track) => sum + track, 0) + (columns.length - 1) * COLUMN_GAP + 2 * ROW_PADDING
}

function Head<T>({ columns, headings, sort, onSort }: Props<T>) {
  return (
    <div role="rowgroup" className="table-head">
      <div role="row" className="row-head" aria-rowindex={1}>
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
              (headings?.[column.key] ?? column.title)
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
