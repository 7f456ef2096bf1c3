import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons'

export type RowAction = { icon: IconName; label: string; danger?: boolean; act: () => void }

/** What one can do with a row; each button names the row for those who do not see it. */
export function RowActions({ name, actions }: { name: string; actions: RowAction[] }): ReactNode {
  return (
    <span className="row-control">
      {actions.map(({ icon, label, danger, act }) => (
        <button
          key={label}
          type="button"
          className={danger ? 'quiet quiet-danger' : 'quiet'}
          aria-label={`${label}: ${name}`}
          title={label}
          onClick={act}
        >
          <Icon name={icon} size={14} />
        </button>
      ))}
    </span>
  )
}
