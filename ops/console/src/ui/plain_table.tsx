import type { ReactNode } from 'react'
import './plain_table.css'

type Props = { label: string; heads: { title: string; right?: boolean }[]; children: ReactNode }

/** A short table as the browser lays it out; where it is wider than its place, it scrolls there, by keyboard too. */
export function PlainTable({ label, heads, children }: Props) {
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <table className="plain">
        <thead>
          <tr>
            {heads.map(({ title, right }) => (
              <th key={title} className={right ? 'right' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
