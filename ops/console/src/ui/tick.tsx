/** A plain box to tick: there is one in every row of a long table. */
type Props = {
  label: string
  checked: boolean
  some?: boolean
  disabled?: boolean
  onChange: (on: boolean) => void
}

export function Tick({ label, checked, some = false, disabled, onChange }: Props) {
  return (
    <input
      type="checkbox"
      className="tick"
      aria-label={label}
      checked={checked}
      disabled={disabled}
      ref={(box) => {
        if (box) box.indeterminate = some
      }}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
