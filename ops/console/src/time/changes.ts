type Row = Record<string, unknown>

export type FieldChange = { field: string; before: string | null; after: string | null }

const DEEPEST = 3
const LONGEST = 120

/** Lists of things too: each is named by its place. */
const isObject = (value: unknown): value is Row =>
  typeof value === 'object' &&
  value !== null &&
  (!Array.isArray(value) || value.every((one) => typeof one === 'object' && one !== null))

function shown(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}

/** Field by field what is another in two rows; a field of a field is named `a.b`. */
export function changedFields(before: Row, after: Row, prefix = '', depth = 1): FieldChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [was, is] = [before[name], after[name]]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    const field = prefix + name
    if (isObject(was) && isObject(is) && depth < DEEPEST)
      return changedFields(was, is, `${field}.`, depth + 1)
    return [{ field, before: shown(was), after: shown(is) }]
  })
}
