// The frontend's own HTTP: a page, a login, and what a signed-in person may do with the sessions of their owner.
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

import { BerthError, type Berth } from './berth.js'
import { newsOf } from './live.js'
import { Visits, type People, type Person } from './people.js'
import { launchOf, Refused, sessionIdOf, textOf } from './requests.js'

const BODY_MAX = 16 << 10
const STREAMS_MAX = 8 // of one person
const COOKIE = 'frontend'
const ALL = /^[\s\S]{1,200}$/

const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

const file = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url))
const FILES: Record<string, { type: string; body: Buffer }> = {
  '/': { type: 'text/html; charset=utf-8', body: file('index.html') },
  '/app.js': { type: 'text/javascript', body: file('app.js') },
  '/style.css': { type: 'text/css', body: file('style.css') },
}

export class Frontend {
  private readonly visits = new Visits()
  private readonly streams = new Map<string, number>()
  private wrong = 0 // logins that failed since the last right one: each makes the next wait longer

  constructor(
    private readonly berth: Berth,
    private readonly people: People,
    private readonly secure = false, // behind TLS
  ) {}

  listen(port: number, host: string, done: (port: number) => void): Server {
    const server = createServer({ headersTimeout: 10_000, requestTimeout: 20_000 }, (request, reply) => {
      this.answer(request, reply).catch((error: unknown) => fail(reply, error))
    })
    server.listen(port, host, () => {
      const at = server.address()
      done(typeof at === 'object' && at ? at.port : port)
    })
    return server
  }

  private async answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const method = request.method ?? 'GET'
    for (const [name, value] of Object.entries(HEADERS)) reply.setHeader(name, value)
    const known = FILES[path]
    if (method === 'GET' && known) return send(reply, 200, known.type, known.body)
    if (method !== 'GET') checkOrigin(request)
    if (method === 'POST' && path === '/login') return this.login(request, reply)
    const person = this.visits.find(cookieOf(request))
    if (!person) throw new Refused(401, 'sign in first')
    if (method === 'POST' && path === '/logout') return this.logout(request, reply)
    if (method === 'GET' && path === '/me') return json(reply, 200, { name: person.name })
    if (method === 'GET' && path === '/live') return this.live(person, request, reply)
    if (method === 'POST' && path === '/sessions') return this.launch(person, request, reply)
    if (method === 'DELETE' && path.startsWith('/sessions/')) return this.end(person, path.slice(10), reply)
    throw new Refused(404, 'there is nothing here')
  }

  private async login(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const name = textOf(body, 'name', ALL, 'is missing')
    const password = textOf(body, 'password', ALL, 'is missing')
    await new Promise((done) => setTimeout(done, Math.min(50 * this.wrong, 3_000)))
    const person = this.people.signIn(name, password)
    this.wrong = person ? 0 : this.wrong + 1
    if (!person) throw new Refused(401, 'name or password is wrong')
    this.setCookie(reply, this.visits.begin(person), '')
    json(reply, 200, { name: person.name })
  }

  private logout(request: IncomingMessage, reply: ServerResponse): void {
    this.visits.end(cookieOf(request))
    this.setCookie(reply, '', '; Max-Age=0')
    json(reply, 200, {})
  }

  private setCookie(reply: ServerResponse, value: string, more: string): void {
    const secure = this.secure ? '; Secure' : ''
    reply.setHeader('Set-Cookie', `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${more}`)
  }

  private async launch(person: Person, request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { id, session } = launchOf(await bodyOf(request))
    const made = await this.berth.ask<{ sessions: { id: string; name: string }[] }>({
      method: 'POST',
      path: '/v1/sessions',
      owner: person.owner,
      body: session,
      id,
    })
    json(reply, 201, { sessions: made.sessions.map(({ id, name }) => ({ id, name })) })
  }

  private async end(person: Person, session: string, reply: ServerResponse): Promise<void> {
    const path = `/v1/sessions/${sessionIdOf(session)}`
    await this.berth.ask({ method: 'DELETE', path, owner: person.owner })
    json(reply, 200, {})
  }

  private async live(person: Person, request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const open = this.streams.get(person.name) ?? 0
    if (open >= STREAMS_MAX) throw new Refused(429, 'this page is open too often')
    const left = new AbortController()
    request.on('close', () => left.abort())
    this.streams.set(person.name, open + 1)
    try {
      reply.writeHead(200, { 'Content-Type': 'text/event-stream' })
      for await (const { event, data } of newsOf(this.berth, person.owner, left.signal)) {
        if (!this.visits.find(cookieOf(request))) break
        const wrote = reply.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
        if (!wrote) await drained(reply, left.signal)
      }
    } catch (error) {
      if (!left.signal.aborted) reply.write(`event: trouble\ndata: ${JSON.stringify(wordsOf(error))}\n\n`)
    } finally {
      this.streams.set(person.name, (this.streams.get(person.name) ?? 1) - 1)
      reply.end() // the browser comes again by itself, and begins with all of them
    }
  }
}

/** A page of another origin may send a browser's cookie along: SameSite=Strict and this stand against it. */
function checkOrigin(request: IncomingMessage): void {
  const origin = request.headers.origin
  const site = request.headers['sec-fetch-site']
  if (origin !== undefined && !origin.endsWith(`://${request.headers.host ?? ''}`)) throw new Refused(403, 'another origin')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Refused(403, 'another site')
}

function cookieOf(request: IncomingMessage): string {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=')
    if (name === COOKIE) return value ?? ''
  }
  return ''
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (!(request.headers['content-type'] ?? '').startsWith('application/json')) throw new Refused(415, 'send JSON')
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > BODY_MAX) throw new Refused(413, 'too large')
    parts.push(part)
  }
  try {
    const value = JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // said below
  }
  throw new Refused(400, 'the body is no JSON object')
}

function drained(reply: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    reply.once('drain', done)
    signal.addEventListener('abort', () => done(), { once: true })
  })
}

function send(reply: ServerResponse, status: number, type: string, body: Buffer | string): void {
  reply.writeHead(status, { 'Content-Type': type }).end(body)
}

function json(reply: ServerResponse, status: number, body: unknown): void {
  send(reply, status, 'application/json', JSON.stringify(body))
}

const wordsOf = (error: unknown) =>
  error instanceof BerthError ? error.problem.detail : 'Berth does not answer; trying again'

/** Berth's refusal is the person's to read; anything else is not. */
function fail(reply: ServerResponse, error: unknown): void {
  if (reply.headersSent) return void reply.end()
  if (error instanceof Refused) return json(reply, error.status, { error: error.message })
  if (error instanceof BerthError) {
    const status = error.problem.status === 401 ? 502 : error.problem.status // our key, not the person's
    return json(reply, status, { error: error.problem.detail, code: error.problem.code })
  }
  json(reply, 502, { error: 'Berth does not answer' })
}
