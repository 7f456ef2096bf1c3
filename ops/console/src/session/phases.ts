import type { Session, Status } from '../api/schema.gen'
import { hasEnded } from '../live/tables'

/** A stretch of a session's life in milliseconds since 1970; `to` null goes on. */
type Phase = { name: 'waiting' | 'starting' | 'running'; from: number; to: number | null }

const at = (time: string | null) => (time ? Date.parse(time) : null)

/** Waiting from its request, starting from its placement, running from its first run, each until the next or its end. */
export function phasesOf(session: Session): Phase[] {
  const end = hasEnded(session) ? at(session.ended_at) : null
  const begins: [Phase['name'], number | null][] = [
    ['waiting', at(session.created_at)],
    ['starting', at(session.scheduled_at)],
    ['running', at(session.running_at)],
  ]
  const known = begins.filter((begin): begin is [Phase['name'], number] => begin[1] !== null)
  return known.map(([name, from], index) => ({ name, from, to: known[index + 1]?.[1] ?? end }))
}

type KernelStretch = { name: string; state: Status | string; from: number; to: number | null }

export function kernelStretches(session: Session): KernelStretch[] {
  return session.kernels.flatMap((kernel) => {
    const from = at(kernel.started_at)
    return from === null ? [] : [{ name: kernel.name, state: kernel.state, from, to: at(kernel.ended_at) }]
  })
}
