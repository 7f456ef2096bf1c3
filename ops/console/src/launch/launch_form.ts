import type { SessionRequest } from '../api/schema.gen'
import { amountText, parseAmount } from '../amount/amount'
import { parseCommand } from './command_line'
import { mountError, mountsOf, type MountLine, type MountingRequest } from './mounts'

export type EnvLine = { name: string; value: string }

/** What the dialog holds, as it is written; `launchRequest` makes the API's request of it. */
export type LaunchForm = {
  name: string
  type: NonNullable<SessionRequest['type']>
  image: string
  group: string
  project: string
  domain: string
  amounts: Record<string, string>
  count: number
  mounts: MountLine[]
  command: string
  script: string
  env: EnvLine[]
  startTime: string
  after: string
}

type FormError = {
  place: string
  key:
    | 'launch.bad-amount'
    | 'launch.bad-command'
    | 'launch.bad-env'
    | 'launch.bad-count'
    | 'launch.batch-command'
    | 'launch.bad-target'
    | 'launch.same-target'
}

export const MOST_SESSIONS = 100

type Built = { request: MountingRequest; errors: FormError[] }

/** The request, and what of the form is none yet, by the place that the server would name. */
export function launchRequest(form: LaunchForm): Built {
  const errors: FormError[] = []
  const resources = resourcesOf(form.amounts, errors)
  const command = commandOf(form, errors)
  const env = envOf(form.env, errors)
  const mounts = mountError(form.mounts)
  if (mounts) errors.push({ place: 'mounts', key: mounts })
  if (form.count < 1 || form.count > MOST_SESSIONS) errors.push({ place: 'count', key: 'launch.bad-count' })
  const request: MountingRequest = {
    ...(form.name.trim() && { name: form.name.trim() }),
    type: form.type,
    ...(form.image && { image: form.image }),
    group: form.group,
    ...(form.project && { project: form.project, domain: form.domain }),
    ...(form.count > 1 && form.count <= MOST_SESSIONS && { count: form.count }),
    resources,
    ...(form.mounts.length > 0 && !mounts && { mounts: mountsOf(form.mounts) }),
    ...(command.length > 0 && { command }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(form.type === 'batch' && form.startTime && { start_time: new Date(form.startTime).toISOString() }),
    ...(form.type === 'batch' && form.after.trim() && { depends_on: form.after.trim().split(/[\s,]+/) }),
  }
  return { request, errors }
}

function resourcesOf(amounts: Record<string, string>, errors: FormError[]): Record<string, string> {
  const resources: Record<string, string> = {}
  for (const [slot, text] of Object.entries(amounts)) {
    if (text.trim() === '') continue
    const amount = parseAmount(text)
    if (amount === null || amount < 0n) errors.push({ place: `resources.${slot}`, key: 'launch.bad-amount' })
    else if (amount > 0n) resources[slot] = amountText(amount)
  }
  return resources
}

/** A batch script is a command too: what the image's shell runs. */
function commandOf({ type, command, script }: LaunchForm, errors: FormError[]): string[] {
  if (type === 'batch' && script.trim()) return ['sh', '-c', script]
  const words = parseCommand(command)
  if (words === null) errors.push({ place: 'command', key: 'launch.bad-command' })
  else if (type === 'batch' && words.length === 0)
    errors.push({ place: 'command', key: 'launch.batch-command' })
  return words ?? []
}

function envOf(lines: EnvLine[], errors: FormError[]): Record<string, string> {
  const environment = environmentOf(lines)
  if (!environment) errors.push({ place: 'env', key: 'launch.bad-env' })
  return environment ?? {}
}

/** Null: a name is none. Lines without anything in them are left out. */
export function environmentOf(lines: EnvLine[]): Record<string, string> | null {
  const named = lines.filter(({ name, value }) => name || value)
  if (named.some(({ name }) => !/^[A-Za-z_]\w*$/.test(name))) return null
  return Object.fromEntries(named.map(({ name, value }) => [name, value]))
}
