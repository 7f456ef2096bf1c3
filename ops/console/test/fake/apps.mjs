// The FAKE cluster's apps: what images declare, their start over berth.session.v1, tickets, and a page at each app's origin.
//   An argument --fail ends an app with exit code 3, --kill by signal 9, --hang leaves it starting.
import { randomUUID } from 'node:crypto'
import { Refusal } from './cluster.mjs'

const READY_MS = 250
const HOST = /^([a-z0-9-]+)--([0-9a-f-]{36})\.localhost(:\d+)?$/

const keyOf = (session, name) => `${session.id}\n${name}`

/** One that was started: it outlives its clients. */
class App {
  clients = new Set()
  log = ''
  how = { state: 'starting' }

  constructor({ name }, order) {
    this.order = order
    const asked = (order.arguments ?? []).join(' ')
    this.print(`\x1b[32m[I 12:00:00]\x1b[0m ${name} ${asked}\r\nServing from local directory: /home/work\r\n`)
    if (asked.includes('--hang')) return
    setTimeout(() => {
      if (asked.includes('--fail')) this.end(3, 0, 'ModuleNotFoundError: no module named pkg_resources\r\n')
      else if (asked.includes('--kill')) this.end(0, 9)
      else this.become({ state: 'ready' })
    }, READY_MS)
  }

  get runs() {
    return this.how.state !== 'ended'
  }

  attach(socket, made) {
    this.clients.add(socket)
    socket.on('close', () => this.clients.delete(socket))
    const begun = { made, scrollback: this.log.length, lost: 0, restarts: 0 }
    socket.send(JSON.stringify({ begun }))
    socket.send(Buffer.concat([Buffer.of(1), Buffer.from(this.log)]))
    socket.send(JSON.stringify({ app: this.how }))
  }

  print(text) {
    this.log += text
    this.clients.forEach((socket) => socket.send(Buffer.concat([Buffer.of(1), Buffer.from(text)])))
  }

  become(how) {
    this.how = how
    this.tell({ app: how })
  }

  end(exit_code, signal, word = '') {
    if (word) this.print(word)
    this.become({ state: 'ended', exit_code, signal, restarts: 0 })
    this.leave({ ended: { exit_code, signal } }, 1000)
  }

  tell(message) {
    this.clients.forEach((socket) => socket.send(JSON.stringify(message)))
  }

  leave(message, code) {
    this.tell(message)
    this.clients.forEach((socket) => socket.close(code))
  }
}

export class Apps {
  started = new Map()
  tickets = new Map()
  cookies = new Map()
  /** What the opening of an app is refused with, if anything. */
  refusal = null

  constructor(cluster) {
    this.cluster = cluster
  }

  declared({ image }) {
    return this.cluster.tables.images.get(image)?.apps ?? []
  }

  find(session, name) {
    const app = this.declared(session).find((one) => one.name === name)
    const names = this.declared(session).map((one) => one.name)
    if (!app)
      throw new Refusal(404, 'unknown-app', `the image declares no app '${name}'`, {
        hint: `it declares ${names.join(', ')}`,
      })
    return app
  }

  of(session, name) {
    return this.started.get(keyOf(session, name))
  }

  list(session) {
    return this.declared(session).map((app) => ({
      ...app,
      state: 'stopped',
      ...this.of(session, app.name)?.how,
    }))
  }

  serve(socket, session, name) {
    socket.once('message', (data) => {
      const order = JSON.parse(data.toString())
      const before = this.of(session, name)
      const made = !before?.runs
      const app = made ? new App(this.find(session, name), order) : before
      this.started.set(keyOf(session, name), app)
      app.attach(socket, made)
    })
  }

  end(session, name) {
    const app = this.of(session, name)
    if (!app?.runs) throw new Refusal(404, 'no-such-app', `'${name}' does not run`)
    app.end(0, 15)
  }

  endSession(session) {
    for (const [key, app] of this.started)
      if (key.startsWith(session.id)) {
        app.leave({ problem: { code: 'session-ended', message: 'the session has ended', hint: '' } }, 1008)
        this.started.delete(key)
      }
  }

  ticket(session, name, port) {
    if (this.refusal) throw this.refusal
    if (!/^\d+$/.test(name)) this.find(session, name)
    const ticket = randomUUID()
    this.tickets.set(ticket, `${name}--${session.id}`)
    return {
      url: `http://${name}--${session.id}.localhost:${port}/`,
      ticket,
      expires_at: new Date(Date.now() + 30_000).toISOString(),
    }
  }

  /** Whether a request is of an app's origin; then it is answered. `origin`: the console's. */
  answer(request, response, body, origin) {
    const match = HOST.exec(request.headers.host ?? '')
    if (!match) return false
    const of = `${match[1]}--${match[2]}`
    const page = (status, title, headers = {}) => {
      response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', ...headers })
      response.end(
        `<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,"><h1>${title}</h1>`,
      )
    }
    if (request.method === 'POST' && request.url === '/.berth/open') {
      const ticket = new URLSearchParams(body).get('ticket')
      if (request.headers.origin !== origin) page(403, `foreign-origin ${request.headers.origin}`)
      else if (this.tickets.get(ticket) !== of) page(401, 'pass-invalid')
      else {
        this.tickets.delete(ticket)
        const cookie = randomUUID()
        this.cookies.set(cookie, of)
        page(303, '', {
          Location: '/',
          'Set-Cookie': `berth_app=${cookie}; HttpOnly; SameSite=Lax; Path=/`,
        })
      }
    } else if (this.cookies.get(/berth_app=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]) !== of)
      page(401, 'app-not-open')
    else page(200, `The app ${match[1]}`)
    return true
  }

  cutAll() {
    this.started.forEach(({ clients }) => clients.forEach((socket) => socket.terminate()))
  }
}
