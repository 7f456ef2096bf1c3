import { memo } from 'react'
import type { Column } from './virtual_table'

type Props<T> = {
  row: T
  index: number
  columns: Column<T>[]
  /** The row as it is at this moment, where it changes more often than the list does. */
  useLatest?: (row: T) => T
  open?: (row: T) => void
  selected: boolean
  narrow: boolean
  start: number
  height: number
}

/** One row in sight. It renders again when something of it changes, not with each change of the list. */
export const TableRow = memo(function TableRow<T>(props: Props<T>) {
  const { index, columns, useLatest = itself, open, selected, narrow, start, height } = props
  const row = useLatest(props.row)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={selected ? 'row row-selected' : 'row'}
      style={{ top: start, height }}
      onClick={(event) => openUnlessControl(event.target as HTMLElement, () => open?.(row))}
    >
      {narrow ? <Card row={row} columns={columns} /> : <Cells row={row} columns={columns} />}
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
