import { useEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react'
import { call } from '../api/client'
import { refusalOf } from './refusal'
import { ShellConnection } from './shell_connection'
import type { Refusal } from './shell_messages'
import type { ShellState } from './shell_state'
import { Screen } from './screen'
import { shellsPath, socketUrl, type ShellName } from './terminal_address'

/** How long a bell is seen. */
const RING_MS = 1_200

export type TerminalView = {
  state: ShellState
  rings: boolean
  hasSelection: boolean
  tooMuch: boolean
  screen: Screen | null
  connection: ShellConnection | null
}

const NO_STATE: ShellState = { kind: 'connecting' }
const nothing = () => () => {}

/** A screen in an element with a connection to a shell, both as long as the element is shown. */
export function useTerminal(
  shell: ShellName,
  label: string,
  element: RefObject<HTMLElement | null>,
  leaveTo: RefObject<HTMLElement | null>,
): TerminalView {
  const { session, name, kernel } = shell
  const [both, setBoth] = useState<{ screen: Screen; connection: ShellConnection } | null>(null)
  const [hasSelection, setSelection] = useState(false)
  const [tooMuch, setTooMuch] = useState(false)
  const [rings, ring] = useBell()
  const words = useRef(label)
  useEffect(() => {
    if (!element.current) return
    const address = { session, name, kernel }
    // Whichever of two windows is worked in has the shell's terminal as wide as itself.
    const speaker = speakFor(JSON.stringify(address), () => connection.resize(screen.size))
    const screen = new Screen(element.current, words.current, {
      typed(bytes, byHand) {
        if (!speaker.isOurs()) return
        setTooMuch(false)
        connection.type(bytes, byHand)
      },
      resized: (size) => connection.resize(size),
      lost: (bytes) => connection.lost(bytes),
      rang: ring,
      selected: setSelection,
      left: () => leaveTo.current?.focus(),
    })
    const connection = new ShellConnection({
      url: socketUrl(address, location.href),
      name,
      size: () => screen.size,
      sink: screen,
      whyRefused: () => whyRefused(address),
      tooMuch: () => setTooMuch(true),
    })
    connection.open(false)
    screen.focus()
    setBoth({ screen, connection })
    return () => {
      speaker.end()
      connection.close()
      screen.close()
    }
  }, [session, name, kernel, element, leaveTo, ring])
  const state = useSyncExternalStore(
    both?.connection.subscribe ?? nothing,
    () => both?.connection.state ?? NO_STATE,
  )
  return {
    state,
    rings,
    hasSelection,
    tooMuch,
    screen: both?.screen ?? null,
    connection: both?.connection ?? null,
  }
}

function useBell(): [boolean, () => void] {
  const [rang, setRang] = useState(0)
  const ring = useRef(() => setRang(Date.now())).current
  useEffect(() => {
    if (rang === 0) return
    const timer = setTimeout(() => setRang(0), RING_MS)
    return () => clearTimeout(timer)
  }, [rang])
  return [rang > 0, ring]
}

const WORKED_IN = ['focus', 'keydown', 'pointerdown'] as const

/**
 * Of all windows on one shell the one that was worked in last speaks for them: a program that asks its terminal something
 * would else get an answer from each, and the shell would read the second as typed.
 */
function speakFor(shell: string, taken: () => void) {
  const others = new BroadcastChannel(`berth-shell ${shell}`)
  let ours = true
  others.onmessage = () => (ours = false)
  others.postMessage(null)
  const take = () => {
    if (ours) return
    ours = true
    others.postMessage(null)
    taken()
  }
  for (const event of WORKED_IN) addEventListener(event, take, { capture: true })
  const end = () => {
    for (const event of WORKED_IN) removeEventListener(event, take, { capture: true })
    others.close()
  }
  return { isOurs: () => ours, end }
}

/** Asks for what a browser keeps to itself of a refused WebSocket: the list of shells needs the same rights, the same kernel. */
async function whyRefused({ session, kernel }: ShellName): Promise<Refusal | null> {
  try {
    await call('GET', shellsPath(session), { query: { kernel } })
    return null
  } catch (error) {
    return refusalOf(error)
  }
}
