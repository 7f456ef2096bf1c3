import { useSyncExternalStore } from 'react'
import { useTable } from '../live/use_live'

const KEPT = 'berth.group'
const listeners = new Set<() => void>()
let chosen = localStorage.getItem(KEPT) ?? ''

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function chooseGroup(name: string) {
  chosen = name
  localStorage.setItem(KEPT, name)
  listeners.forEach((tell) => tell())
}

/** The resource group that the indicator shows: the one last chosen, while it is there; else the first. Empty: there is none. */
export function useCurrentGroup(): { group: string; groups: string[] } {
  const wanted = useSyncExternalStore(subscribe, () => chosen)
  const groups = [...useTable('groups').rows.keys()].sort()
  const fallback = groups.includes('default') ? 'default' : (groups[0] ?? '')
  return { group: groups.includes(wanted) ? wanted : fallback, groups }
}
