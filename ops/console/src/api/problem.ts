type FieldError = { place: string; message: string }

/** What the server said (RFC 9457), or what stands for it where no server answered: status 0, code `unreachable`. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly hint = '',
    readonly fields: readonly FieldError[] = [],
    readonly requestId = '',
  ) {
    super(detail)
  }

  get unreachable() {
    return this.status === 0 || this.status === 503
  }

  /** To ask again would change nothing. */
  get final() {
    return this.status >= 400 && this.status < 500 && this.status !== 401 && this.status !== 429
  }
}

type ProblemBody = {
  code?: string
  detail?: string
  hint?: string
  request_id?: string
  errors?: FieldError[]
}

export async function problemOf(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => ({}))) as ProblemBody
  return new Problem(
    response.status,
    body.code ?? `http-${response.status}`,
    body.detail ?? response.statusText,
    body.hint,
    body.errors,
    body.request_id,
  )
}

/** The message for a field, where the problem names it; `resources.cpu` also answers for the field `cpu`, `mounts[0].target` for `mounts`. */
export function messageAt(problem: Problem | null, place: string): string | undefined {
  const isAt = (named: string) =>
    named === place || named.endsWith(`.${place}`) || named.startsWith(`${place}[`)
  return problem?.fields.find((field) => isAt(field.place))?.message
}

/** A hint as this page may show it: those for people at a terminal, which name `berth` commands or options, are left out. */
export const pageHint = (hint: string) => (/(^|[^\w-])(berth [a-z]|--)/.test(hint) ? '' : hint)

/** Begins as sentences do; a name that comes first, such as of a slot or an agent, stays as it is. */
export const asSentence = (text: string) =>
  /^(?!cpu\b|mem\b)[a-z]+[\s,:;]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
