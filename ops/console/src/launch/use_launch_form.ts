import { useMemo, useState } from 'react'
import type { Membership } from '../api/identity'
import type { Group, Image } from '../api/schema.gen'
import { useMe } from '../app/account_context'
import { useTable } from '../live/use_live'
import { useCurrentGroup } from '../shell/current_group'
import { useResource } from '../shell/use_resource'
import type { Folder } from '../storage/folder'
import { useFolders } from '../storage/use_folders'
import { isMissing } from '../ui/image_build'
import { totalsOf, type SlotTotals } from './group_totals'
import { MEMORY, amountsFor, firstMemory, memoryOf, type ImageMemory } from './image_memory'
import type { LaunchForm } from './launch_form'

export type Choices = {
  images: string[]
  missing: ReadonlyMap<string, Image> // of the images: those that are not there yet
  groups: string[]
  egress: Group['egress']
  projects: Membership[]
  totals: SlotTotals[]
  memory: ImageMemory
  folders: Folder[]
  /** What stands in their place while they are not there. */
  foldersText: 'state.loading' | 'state.failed' | null
}

/** The form, with first values from what there is to choose of: the current group, its first image, the first project. */
export function useLaunchForm() {
  const me = useMe()
  const current = useCurrentGroup()
  const { rows, loaded } = useTable('images')
  const images = [...rows.keys()].sort()
  const [written, write] = useState<Partial<LaunchForm>>({})
  const [first] = me.projects
  const image = written.image ?? images[0] ?? ''
  const form: LaunchForm = {
    name: '',
    type: 'interactive',
    image,
    group: current.group,
    project: first?.project ?? '',
    domain: first?.domain ?? '',
    amounts: { cpu: '1', [MEMORY]: firstMemory(rows.get(image)) },
    count: 1,
    mounts: [],
    command: '',
    script: '',
    env: [],
    startTime: '',
    after: '',
    ...written,
  }
  const folders = useFolders()
  const agents = useTable('agents')
  const group = useTable('groups').rows.get(form.group)
  const resource = useResource(form.group)
  const totals = useMemo(
    () => totalsOf(resource.data, agents.rows.values(), group),
    [resource.data, agents, group],
  )
  const change = (part: Partial<LaunchForm>) => {
    const amounts =
      part.image !== undefined && amountsFor(form.amounts, rows.get(image), rows.get(part.image))
    write((before) => ({ ...before, ...(amounts && { amounts }), ...part }))
  }
  const choices: Choices = {
    images,
    missing: new Map([...rows].filter(([, image]) => isMissing(image))),
    groups: current.groups,
    egress: group?.egress ?? 'none',
    projects: me.projects,
    totals,
    memory: memoryOf(rows.get(image), group?.shm),
    folders: folders.data ?? [],
    foldersText: folders.data ? null : folders.error ? 'state.failed' : 'state.loading',
  }
  return { form, change, choices, loaded }
}
