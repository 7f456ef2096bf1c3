const two = (value: number) => String(value).padStart(2, '0')

/** As an input of type datetime-local has it: here, without a zone. */
export function localText(time: string | undefined): string {
  const at = new Date(time ?? '')
  if (Number.isNaN(at.getTime())) return ''
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** The moment that such a text is, with its zone; null: it is none. */
export function instantOf(local: string): string | null {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
