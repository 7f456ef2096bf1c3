import type { Row, TableName, Topic } from './tables'

export type Change = { key: string; row: Row | null }
/** Why a table cannot be read: what a `Problem` is made of. */
export type Failure = { status: number; code: string; detail: string; hint: string; requestId: string }
export type LiveState = 'connecting' | 'live' | 'lost'

/** What a tab tells the hub. `identity`: who is signed in by the cookie of now, null for nobody. */
export type ToHub =
  { kind: 'need'; tables: TableName[] } | { kind: 'identity'; identity: string | null } | { kind: 'bye' }

/** What the hub tells every tab. `rights`: read whoami again. `touched`: what shows this is to be read again. `changes` with `reset`: what was known is void. */
export type FromHub =
  | { kind: 'state'; state: LiveState }
  | { kind: 'identity'; identity: string | null }
  | { kind: 'rights' }
  | { kind: 'touched'; topic: Topic }
  | {
      kind: 'changes'
      table: TableName
      reset: boolean
      loaded: boolean
      failure: Failure | null
      changes: Change[]
    }
