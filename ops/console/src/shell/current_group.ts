import { useEffect, useSyncExternalStore } from 'react'
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

/** Of the groups that there are, the wanted one if it is there, else `default`, else the first. Empty: there is none. */
export function groupOf(groups: readonly string[], wanted: string): string {
  if (groups.includes(wanted)) return wanted
  return groups.includes('default') ? 'default' : (groups[0] ?? '')
}

/** The resource group that the indicator shows. While the groups are not known, the one shown last is taken to be there. */
export function useCurrentGroup(): { group: string; groups: string[] } {
  const wanted = useSyncExternalStore(subscribe, () => chosen)
  const { rows, loaded } = useTable('groups')
  const groups = [...rows.keys()].sort()
  const group = loaded ? groupOf(groups, wanted) : wanted
  useEffect(() => {
    if (loaded && group) localStorage.setItem(KEPT, group)
  }, [loaded, group])
  return { group, groups: loaded || !wanted ? groups : [wanted] }
}
