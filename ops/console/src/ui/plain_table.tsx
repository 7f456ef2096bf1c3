import { RowCard, type CardColumn } from './row_card'
import { useNarrow } from './use_narrow'
import './plain_table.css'

type Props<T> = { label: string; columns: CardColumn<T>[]; rows: readonly T[]; keyOf: (row: T) => string }

/** A short table as the browser lays it out; where it is wider than its place, it scrolls there, by keyboard too. */
export function PlainTable<T>(props: Props<T>) {
  if (useNarrow()) return <Cards {...props} />
  const { label, columns, rows, keyOf } = props
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <table className="plain">
        <thead>
          <tr>
            {columns.map(({ key, title, right }) => (
              <th key={key} className={right ? 'right' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, right, render }) => (
                <td key={key} className={right ? 'right' : undefined}>
                  {render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cards<T>({ label, columns, rows, keyOf }: Props<T>) {
  return (
    <div className="plain-cards" role="table" aria-label={label}>
      {rows.map((row) => (
        <div key={keyOf(row)} className="row-card" role="row">
          <RowCard row={row} columns={columns} />
        </div>
      ))}
    </div>
  )
}
