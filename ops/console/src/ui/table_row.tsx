import { memo } from 'react'
import { RowCard } from './row_card'
import type { Column } from './virtual_table'

type Props<T> = {
  row: T
  index: number
  columns: Column<T>[]
  /** The row as it is at this moment, where it changes more often than the list does. */
  useLatest?: (row: T) => T
  open?: (row: T) => void
  selected: boolean
  start: number
  /** Absent of a card, which is as high as what it says; it is measured then. */
  height?: number
  measure?: (element: Element | null) => void
}

/** One row in sight. It renders again when something of it changes, not with each change of the list. */
export const TableRow = memo(function TableRow<T>(props: Props<T>) {
  const { index, columns, useLatest = itself, open, selected, start, height, measure } = props
  const row = useLatest(props.row)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      ref={measure}
      data-index={index}
      className={`row ${measure ? 'row-card' : 'row-cells'}${selected ? ' row-selected' : ''}`}
      style={{ top: start, height }}
      onClick={(event) => openUnlessControl(event.target as HTMLElement, () => open?.(row))}
    >
      {measure ? <RowCard row={row} columns={columns} /> : <Cells row={row} columns={columns} />}
    </div>
  )
}) as <T>(props: Props<T>) => React.ReactNode

const itself = <T,>(row: T) => row

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
