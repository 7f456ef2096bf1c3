import { HAVE_PAST } from './past.gen'
import { Problem, problemOf } from './problem'

export type Query = Record<string, string | number | boolean | null | undefined>
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** `byHand`: a read that a person's input led to; all others go by themselves, by a timer or the stream. */
type Options = {
  query?: Query
  body?: unknown
  /** Sent as it is, in place of `body`. */
  bytes?: ArrayBuffer
  headers?: Record<string, string>
  signal?: AbortSignal
  accept?: string
  byHand?: boolean
}

/** Their 401 is an answer, not the end of a sign-in. */
const ASKS_WHO = /^\/v1\/(login|whoami)/
const TRIES = 5
const LONGEST_WAIT_MS = 5_000

let moment = ''
let csrf = ''
let onSignedOut = () => {}

/** From now on reads are of this moment, and nothing is written; empty for now. */
export function standAt(at: string) {
  moment = at
}

/** The token that whoami gave for the cookie of now; every write carries it. */
export function keepCsrfToken(token: string) {
  csrf = token
}

/** Called when a request that needs a signed-in person is answered by 401. */
export function whenSignedOut(callback: () => void) {
  onSignedOut = callback
}

export function withQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text ? `${path}?${text}` : path
}

export function waitBeforeTry(attempt: number, retryAfter: string | null): number {
  const asked = Number(retryAfter ?? '') * 1000
  return Math.min(asked > 0 ? asked : 250 * 2 ** attempt, LONGEST_WAIT_MS)
}

function headersOf(method: Method, options: Options): Headers {
  const headers = new Headers({ Accept: options.accept ?? 'application/json', ...options.headers })
  if (options.bytes) headers.set('Content-Type', 'application/octet-stream')
  else if (options.body !== undefined) headers.set('Content-Type', 'application/json')
  if (method === 'GET') {
    // No use of the browser session: a console that is left open is signed out when its time is over.
    if (!options.byHand) headers.set('X-Berth-Background', '1')
    return headers
  }
  if (csrf) headers.set('X-Berth-CSRF', csrf)
  // One key for all tries: a write that was carried out, but whose answer was lost, is not done twice.
  headers.set('Idempotency-Key', crypto.randomUUID())
  return headers
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}

/** What asks for a position at least, as the live rows do, means now. */
const isOfMoment = (path: string, { query }: Options) =>
  moment !== '' && HAVE_PAST.some((route) => route.test(path)) && query?.min_position === undefined

async function send(method: Method, path: string, options: Options): Promise<Response> {
  const query = { ...(isOfMoment(path, options) && { at: moment }), ...options.query }
  const request: RequestInit = {
    method,
    headers: headersOf(method, options),
    body: options.bytes ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
    signal: options.signal,
    cache: 'no-store',
  }
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(withQuery(path, query), request)
    if (response.status !== 503 || attempt === TRIES) return response
    await pause(waitBeforeTry(attempt, response.headers.get('Retry-After')), options.signal)
  }
}

export async function callRaw(method: Method, path: string, options: Options = {}): Promise<Response> {
  if (moment && method !== 'GET' && path !== '/v1/logout')
    throw new Problem(409, 'in-the-past', 'The past cannot be changed.')
  const response = await send(method, path, options).catch((error: unknown) => {
    if (options.signal?.aborted) throw error
    throw new Problem(0, 'unreachable', String(error))
  })
  if (response.ok) return response
  if (response.status === 401 && !ASKS_WHO.test(path)) onSignedOut()
  throw await problemOf(response)
}

export async function call<T>(method: Method, path: string, options: Options = {}): Promise<T> {
  return (await callRaw(method, path, options)).json() as Promise<T>
}

/** A part of a path: names may hold a slash. */
export const part = encodeURIComponent

type Page<T> = { next_page_token: string | null; position?: number | null } & Record<
  string,
  T[] | string | number | null | undefined
>

/** Every page of a list, each with the position that it was read at. */
export async function* pagesOf<T>(path: string, list: string, query: Query, signal?: AbortSignal) {
  let token: string | null = null
  do {
    const page: Page<T> = await call('GET', path, { query: { ...query, page_token: token }, signal })
    yield { rows: page[list] as T[], position: page.position ?? null }
    token = page.next_page_token ?? null
  } while (token)
}

/** The first rows of a list, at most so many: a page may be short, or empty, and still have a next one. */
export async function allOf<T>(path: string, list: string, query: Query, most: number, signal?: AbortSignal) {
  const all: T[] = []
  for await (const { rows } of pagesOf<T>(path, list, query, signal)) {
    all.push(...rows)
    if (all.length >= most) break
  }
  return all.slice(0, most)
}
