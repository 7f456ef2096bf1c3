import { useSyncExternalStore } from 'react'

/** The parameter of an address that puts its page into the past. */
const MOMENT = 'at'

/** The place in the console: `#/sessions?status=RUNNING` is path ['sessions'] and its query. */
type Place = { path: string[]; query: URLSearchParams; hash: string }

let known: Place = parsePlace('')

export function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: new URLSearchParams(query),
    hash,
  }
}

/** A part that nobody encoded, such as `%`, is what it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Whoever looks at the past stays there: its moment goes along unless `query` says otherwise. */
export function hashOf(path: string[], query: Record<string, string | null | undefined> = {}): string {
  const pairs = Object.entries({ [MOMENT]: momentOf(known), ...query }).filter(([, value]) => value)
  const text = new URLSearchParams(pairs as [string, string][]).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`
}

function currentPlace(): Place {
  if (known.hash !== location.hash) known = parsePlace(location.hash)
  return known
}

const listeners = new Set<() => void>()
const tellAll = () => listeners.forEach((tell) => tell())

/** All are told in one go: between two listeners of the browser's own, React would draw some for the new place and some for the old. */
function subscribe(listener: () => void) {
  if (listeners.size === 0) addEventListener('hashchange', tellAll)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('hashchange', tellAll)
  }
}

export const usePlace = () => useSyncExternalStore(subscribe, currentPlace)

const momentOf = ({ query }: Place) => query.get(MOMENT) ?? ''

/** The moment that the pages show, as the address has it: a time or a position; empty for now. */
export const useMoment = () => momentOf(usePlace())

export function go(hash: string, { replace = false } = {}) {
  if (hash === location.hash) return
  if (!replace) location.hash = hash
  else {
    history.replaceState(null, '', hash)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}

/** Writes parameters of the place's query; an empty value leaves the address. */
export function setQuery(
  changes: Record<string, string | null>,
  options: { replace?: boolean } = { replace: true },
) {
  const { path, query } = currentPlace()
  go(hashOf(path, { ...Object.fromEntries(query), ...changes }), options)
}

/** Reads and writes parameters of the place's query. */
export function usePlaceQuery() {
  const place = usePlace()
  return { get: (name: string) => place.query.get(name) ?? '', set: setQuery }
}
