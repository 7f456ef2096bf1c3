import { useEffect, useSyncExternalStore } from 'react'
import { useMe } from '../app/account_context'
import { useTable } from '../live/use_live'

const listeners = new Set<() => void>()

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Of the groups that there are, the wanted one if it is there, else `default`, else the first. Empty: there is none. */
export function groupOf(groups: readonly string[], wanted: string): string {
  if (groups.includes(wanted)) return wanted
  return groups.includes('default') ? 'default' : (groups[0] ?? '')
}

type CurrentGroup = { group: string; groups: string[]; choose: (group: string) => void }

/** The resource group that the indicator shows. While the groups are not known, the one shown last is taken to be there. */
export function useCurrentGroup(): CurrentGroup {
  const kept = `berth.group/${useMe().user}`
  const wanted = useSyncExternalStore(subscribe, () => localStorage.getItem(kept) ?? '')
  const { rows, loaded } = useTable('groups')
  const groups = loaded || !wanted ? [...rows.keys()].sort() : [wanted]
  const group = groupOf(groups, wanted)
  const choose = (name: string) => {
    localStorage.setItem(kept, name)
    listeners.forEach((tell) => tell())
  }
  useEffect(() => {
    if (loaded && group) localStorage.setItem(kept, group)
  }, [kept, loaded, group])
  return { group, groups, choose }
}
