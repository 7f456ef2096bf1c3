// Berth's API as a producer asks it: each request is signed with the producer's key and names the owner for whom it is
// (controller/api/README.md, "Authentication" and "Producers").
import { createHash, createHmac, randomUUID } from 'node:crypto'

/** What `berth producer join` writes. */
export interface ProducerKey {
  access_key: string // "producer:NAME"
  key: string // 64 hex digits
}

export interface Problem {
  status: number
  code: string
  detail: string
}

export class BerthError extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.code}: ${problem.detail}`)
  }
}

export interface Ask {
  method?: string
  path: string
  owner?: string // none: of the producer itself
  query?: Record<string, string>
  body?: unknown
  id?: string // the idempotency key: asked again with it, a request is carried out once
  accept?: string
  lastEventId?: string
  signal?: AbortSignal
}

const REPLY_MS = 20_000

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

export class Berth {
  constructor(
    private readonly address: URL,
    private readonly key: ProducerKey,
  ) {}

  get name(): string {
    return this.key.access_key.replace(/^producer:/, '')
  }

  /** The reply's body. Rejects with BerthError where Berth says no, with another error where it does not answer. */
  async ask<T>(ask: Ask): Promise<T> {
    const reply = await this.send({ ...ask, signal: ask.signal ?? AbortSignal.timeout(REPLY_MS) })
    return (await reply.json()) as T
  }

  /** A stream of events: the reply's body is still coming. `signal` ends it. */
  stream(ask: Ask): Promise<Response> {
    return this.send({ ...ask, accept: 'text/event-stream' })
  }

  private async send(ask: Ask): Promise<Response> {
    const target = this.target(ask)
    const body = ask.body === undefined ? '' : JSON.stringify(ask.body)
    const reply = await fetch(new URL(target, this.address), {
      method: ask.method ?? 'GET',
      headers: this.headers(ask, target, body),
      ...(body === '' ? {} : { body }),
      ...(ask.signal ? { signal: ask.signal } : {}),
      redirect: 'error',
    })
    if (reply.ok) return reply
    throw new BerthError(await problemOf(reply))
  }

  private target(ask: Ask): string {
    const query = new URLSearchParams(ask.query)
    if (ask.owner !== undefined) query.set('owner', ask.owner)
    return query.size === 0 ? ask.path : `${ask.path}?${query}`
  }

  private headers(ask: Ask, target: string, body: string): Record<string, string> {
    const method = ask.method ?? 'GET'
    const date = new Date().toISOString()
    const type = body === '' ? '' : 'application/json'
    const id = method === 'GET' ? '' : (ask.id ?? randomUUID())
    const bodyHash = createHash('sha256').update(body).digest('hex')
    const text = [method, target, date, this.address.host, type, '2', id, bodyHash].join('\n')
    const signing = hmac(hmac(this.key.key, date.slice(0, 10).replaceAll('-', '')), this.address.host)
    return {
      'X-Berth-Date': date,
      'X-Berth-Version': '2',
      'X-Berth-Content-SHA256': bodyHash,
      Authorization: `BERTH-HMAC-SHA256 key=${this.key.access_key}, signature=${hmac(signing, text).toString('hex')}`,
      ...(type === '' ? {} : { 'Content-Type': type }),
      ...(id === '' ? {} : { 'Idempotency-Key': id }),
      ...(ask.accept ? { Accept: ask.accept } : {}),
      ...(ask.lastEventId ? { 'Last-Event-ID': ask.lastEventId } : {}),
    }
  }
}

async function problemOf(reply: Response): Promise<Problem> {
  const said = (await reply.json().catch(() => ({}))) as Partial<Problem>
  return {
    status: reply.status,
    code: typeof said.code === 'string' ? said.code : 'not-berth',
    detail: typeof said.detail === 'string' ? said.detail : `it answered ${reply.status}`,
  }
}
