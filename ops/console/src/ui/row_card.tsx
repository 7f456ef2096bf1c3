import type { ReactNode } from 'react'
import './row_card.css'

/** What a cell is and shows, without how wide it is. */
export type CardColumn<T> = {
  key: string
  title: string
  right?: boolean
  /** Where the cell stands on a narrow screen's card; a column without it is left out there. */
  card?: 'head' | 'side' | 'detail' | 'act'
  /** Its title stands before it on a card: the value alone would not say what it is. */
  titled?: boolean
  render: (row: T) => ReactNode
}

/** A row of a table on a narrow screen, as high as what it says; stands in an element of class `row-card`. */
export function RowCard<T>({ row, columns }: { row: T; columns: CardColumn<T>[] }) {
  const at = (card: CardColumn<T>['card']) => (
    <span className={`card-${card}`} role="presentation">
      {columns
        .filter((column) => column.card === card)
        .map((column) => (
          <span key={column.key} role="cell">
            {column.titled && <span className="card-title">{column.title} </span>}
            {column.render(row)}
          </span>
        ))}
    </span>
  )
  return (
    <>
      {at('act')}
      {at('head')}
      {at('side')}
      {at('detail')}
    </>
  )
}
