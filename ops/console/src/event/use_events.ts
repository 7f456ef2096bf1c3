import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { allOf, call, withQuery } from '../api/client'
import type { Event, EventList } from '../api/schema.gen'
import { offsetOf } from '../past/span'
import { SseParser } from '../live/sse'

type EventFilter = { session: string; type: string }
type Journal = { events: Event[]; error: unknown; loaded: boolean; begin: number }

const PIECE = 200
const KEPT = 10_000
const PAUSE_MS = 1_000
const EMPTY: Journal = { events: [], error: null, loaded: false, begin: 0 }

/** The journal's newest events, of now or of the moment `at`, and what is added to it, newest first; older ones are read as they are asked for. */
export function useEvents(filter: EventFilter, follows: boolean, at: string) {
  const { session, type } = filter
  const [journal, setJournal] = useState(EMPTY)
  const [attempt, readAgain] = useReducer((count: number) => count + 1, 0)
  const newest = useRef('')
  newest.current = journal.events[0]?.id ?? ''

  useEffect(() => {
    setJournal(EMPTY)
    const ending = new AbortController()
    readNewest({ session, type }, at, ending.signal)
      .then(setJournal)
      .catch((error: unknown) => ending.signal.aborted || setJournal({ ...EMPTY, error, loaded: true }))
    return () => ending.abort()
  }, [session, type, at, attempt])

  const { loaded } = journal
  useEffect(() => {
    if (!follows || !loaded) return
    const ending = new AbortController()
    const add = (events: Event[]) =>
      setJournal((before) => ({ ...before, events: added(before.events, events) }))
    void follow({ session, type }, () => newest.current, add, ending.signal)
    return () => ending.abort()
  }, [follows, loaded, session, type])

  const older = useOlder(journal, setJournal, filter)
  return { ...journal, older, readAgain }
}

/** Reads the piece of the journal before what is there; one at a time. */
function useOlder(
  { begin }: Journal,
  setJournal: (change: (before: Journal) => Journal) => void,
  { session, type }: EventFilter,
) {
  const reading = useRef(false)
  return useCallback(async () => {
    if (begin === 0 || reading.current) return
    reading.current = true
    const from = Math.max(0, begin - PIECE)
    const query = { session, type, from, to: begin - 1, limit: 1000 }
    const page = await call<EventList>('GET', '/v1/events', { query }).catch(() => null)
    reading.current = false
    if (page)
      setJournal((before) => ({
        ...before,
        begin: from,
        events: [...before.events, ...page.events.reverse()],
      }))
  }, [begin, session, type, setJournal])
}

async function readNewest({ session, type }: EventFilter, at: string, signal: AbortSignal): Promise<Journal> {
  const slots = at || !session ? await readPosition(at, signal) : null
  const to = at ? slots?.position : undefined
  if (session) {
    const query = { session, type, to, limit: 1000 }
    const events = await allOf<Event>('/v1/events', 'events', query, 1000, signal)
    return { events: events.reverse(), error: null, loaded: true, begin: 0 }
  }
  const begin = Math.max(0, (slots?.position ?? 0) - PIECE)
  const { events } = await call<EventList>('GET', '/v1/events', {
    query: { type, from: begin, to, limit: 1000 },
    signal,
  })
  return { events: events.reverse(), error: null, loaded: true, begin }
}

async function readPosition(at: string, signal: AbortSignal): Promise<{ position: number }> {
  const answer = await call<{ position: number; at?: { position: string } }>('GET', '/v1/slots', {
    query: { at },
    signal,
  })
  return answer.at ? { position: offsetOf(answer.at.position) } : answer
}

/** Newer events come first; one that is there already, after a cut, is not added twice. */
function added(known: Event[], news: Event[]): Event[] {
  const newest = known[0]
  const fresh = newest ? news.filter((event) => isAfter(event, newest)) : news
  return fresh.length > 0 ? [...fresh.reverse(), ...known].slice(0, KEPT) : known
}

const isAfter = (a: Event, b: Event) => a.offset > b.offset || (a.offset === b.offset && a.index > b.index)

async function follow(
  filter: EventFilter,
  newest: () => string,
  add: (events: Event[]) => void,
  signal: AbortSignal,
) {
  while (!signal.aborted) {
    await readStream(withQuery('/v1/events', { ...filter, after: newest() }), add, signal).catch(
      () => undefined,
    )
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function readStream(url: string, add: (events: Event[]) => void, signal: AbortSignal) {
  const response = await fetch(url, { headers: { Accept: 'text/event-stream' }, cache: 'no-store', signal })
  if (!response.ok || !response.body) return
  const parser = new SseParser()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const events = parser
      .push(piece.value)
      .filter(({ id }) => id !== '')
      .map(({ data }) => JSON.parse(data) as Event)
    if (events.length > 0) add(events)
  }
}
