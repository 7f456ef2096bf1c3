import { useMemo, useState } from 'react'
import type { Membership } from '../api/identity'
import type { Group, Image } from '../api/schema.gen'
import { useMe } from '../app/account_context'
import { useTable } from '../live/use_live'
import { useCurrentGroup } from '../shell/current_group'
import { useResource } from '../shell/use_resource'
import { isMissing } from '../ui/image_build'
import { totalsOf, type SlotTotals } from './group_totals'
import type { LaunchForm } from './launch_form'

const FIRST_AMOUNTS = { cpu: '1', mem: '1g' }

export type Choices = {
  images: string[]
  missing: ReadonlyMap<string, Image> // of the images: those that are not there yet
  groups: string[]
  egress: Group['egress']
  projects: Membership[]
  totals: SlotTotals[]
}

/** The form, with first values from what there is to choose of: the current group, its first image, the first project. */
export function useLaunchForm() {
  const me = useMe()
  const current = useCurrentGroup()
  const { rows, loaded } = useTable('images')
  const images = [...rows.keys()].sort()
  const [written, write] = useState<Partial<LaunchForm>>({})
  const [first] = me.projects
  const form: LaunchForm = {
    name: '',
    type: 'interactive',
    image: images[0] ?? '',
    group: current.group,
    project: first?.project ?? '',
    domain: first?.domain ?? '',
    amounts: FIRST_AMOUNTS,
    count: 1,
    command: '',
    script: '',
    env: [],
    startTime: '',
    after: '',
    ...written,
  }
  const agents = useTable('agents')
  const group = useTable('groups').rows.get(form.group)
  const resource = useResource(form.group)
  const totals = useMemo(
    () => totalsOf(resource.data, agents.rows.values(), group),
    [resource.data, agents, group],
  )
  const change = (part: Partial<LaunchForm>) => write((before) => ({ ...before, ...part }))
  const choices: Choices = {
    images,
    missing: new Map([...rows].filter(([, image]) => isMissing(image))),
    groups: current.groups,
    egress: group?.egress ?? 'none',
    projects: me.projects,
    totals,
  }
  return { form, change, choices, loaded }
}
