import type { Status } from '../api/schema.gen'
import type { FolderState } from '../storage/folder'
import './state_badge.css'

type Tone = 'run' | 'wait' | 'move' | 'end' | 'fail' | 'done'
type AgentState = 'ENROLLED' | 'ALIVE' | 'LOST' | 'LEFT' | 'DRAINING' | 'UNFIT'

type State = Status | AgentState | FolderState

const TONES: Record<State, Tone> = {
  PENDING: 'wait',
  RESERVED: 'wait',
  SCHEDULED: 'move',
  PREPARING: 'move',
  PULLING: 'move',
  PREPARED: 'move',
  CREATING: 'move',
  RUNNING: 'run',
  RESCHEDULING: 'end',
  TERMINATING: 'end',
  TERMINATED: 'done',
  CANCELLED: 'done',
  ERROR: 'fail',
  ENROLLED: 'wait',
  ALIVE: 'run',
  DRAINING: 'end',
  UNFIT: 'fail',
  LOST: 'fail',
  LEFT: 'done',
  READY: 'run',
  FAILED: 'fail',
  TRASHED: 'done',
  PURGING: 'end',
}

/** A shape for each tone, so that colour is never the only sign; the word stands beside it. */
const SHAPES: Record<Tone, string> = {
  run: 'M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z',
  wait: 'M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3zm0 1.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z',
  move: 'M4 3l9 5-9 5z',
  end: 'M4 4h3v8H4zM9 4h3v8H9z',
  fail: 'M4.5 3L8 6.5 11.5 3 13 4.5 9.5 8l3.5 3.5-1.5 1.5L8 9.5 4.5 13 3 11.5 6.5 8 3 4.5z',
  done: 'M4 4h8v8H4z',
}

export function StateBadge({ state }: { state: State }) {
  const tone = TONES[state]
  return (
    <span className={`state state-${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[tone]} />
      </svg>
      {state}
    </span>
  )
}
