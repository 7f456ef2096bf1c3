// A FAKE Berth for developing and testing the console: it answers /v1 from memory and serves the built files.
//   node test/fake_server.mjs [--port 7480] [--console DIR] [--empty] [--rows N]
// People: alice / alice-secret, watcher / watcher-secret, and admin by the link /#/link/first-start.
import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { WebSocketServer } from 'ws'
import { Apps } from './fake/apps.mjs'
import { Cluster, Refusal } from './fake/cluster.mjs'
import { Producers } from './fake/producers.mjs'
import { clusterAt } from './fake/past.mjs'
import { Folders } from './fake/folders.mjs'
import { People, sees, shownTo } from './fake/people.mjs'
import { routesOf, terminalOf, wanted } from './fake/routes.mjs'
import { seed } from './fake/seed.mjs'
import { Shells } from './fake/shells.mjs'

const cspOf = (forms) =>
  `default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const COOKIE = 'berth_0000fake'

/**
 * Starts it; `close` ends it, `cut` ends its streams, `down` makes it answer 503. `fault(pattern)`: paths that match are
 * answered by 500 until `fault(null)`.
 */
export function startFake({ port = 0, folder, ...options }) {
  const cluster = new Cluster()
  const people = new People(cluster)
  const folders = new Folders(cluster)
  seed(cluster, people, folders, options)
  const control = {
    streams: new Set(),
    down: false,
    fault: null,
    listings: 0,
    cutUploads: 0,
    busy: 0,
    moments: new Set(),
  }
  const server = createServer(
    (request, response) =>
      void answer(request, response).catch((error) => {
        if (!(error instanceof Refusal) && !control.fault) console.error(error)
        fail(response, error)
      }),
  )
  const origin = () => `http://127.0.0.1:${server.address().port}`
  const shells = new Shells()
  const apps = new Apps(cluster)
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'berth.session.v1' })
  cluster.listeners.add(({ table, row }) => {
    if (table !== 'sessions' || row.status === 'RUNNING') return
    shells.endSession(row)
    apps.endSession(row)
  })
  const producers = new Producers()
  const routes = routesOf(cluster, people, origin, shells, apps, folders, producers)
  server.on('upgrade', (request, socket, head) => {
    try {
      const { session, kernel, app } = askedStream(request)
      sockets.handleUpgrade(request, socket, head, (opened) =>
        app ? apps.serve(opened, session, app) : shells.serve(opened, { session, kernel }),
      )
    } catch (error) {
      const { status = 500 } = error.problem ?? {}
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    }
  })

  /** By the cookie, and only from a page of this origin. */
  function askedStream(request) {
    const url = new URL(request.url, origin())
    const match = /^\/v1\/sessions\/([^/]+)\/(?:shell|apps\/([^/]+)\/start)$/.exec(url.pathname)
    if (control.down) throw new Refusal(503, 'stopping', 'the fake is down')
    const me = people.me(cookieOf(request))
    if (!me) throw new Refusal(401, 'credential-missing', 'sign in first')
    if (!match || request.headers.origin !== origin())
      throw new Refusal(403, 'origin-wrong', 'another origin')
    const session = terminalOf(cluster, me, decodeURIComponent(match[1]))
    if (match[2]) apps.find(session, match[2])
    return { session, app: match[2], kernel: url.searchParams.get('kernel') ?? 'main1' }
  }

  async function answer(request, response) {
    const url = new URL(request.url, origin())
    if (request.method === 'PUT' && url.pathname.includes('/uploads/') && control.cutUploads > 0) {
      control.cutUploads -= 1
      return request.destroy()
    }
    const bytes = await bytesOf(request)
    const isJson = request.headers['content-type'] === 'application/json'
    const text = bytes.toString()
    if (apps.answer(request, response, text, origin())) return
    if (!url.pathname.startsWith('/v1/'))
      return serveFile(response, folder, url.pathname, server.address().port)
    if (request.method === 'GET' && url.pathname === '/v1/sessions') control.listings += 1
    if (control.down) throw new Refusal(503, 'stopping', 'the fake is down')
    if (control.fault?.test(url.pathname)) throw new Error('the fake was told to fail')
    const body = isJson && text ? JSON.parse(text) : {}
    const open = openRoute(request, url.pathname, body)
    if (open) return reply(response, open)
    const me = people.me(cookieOf(request))
    if (!me) throw new Refusal(401, 'credential-missing', 'sign in first')
    if (request.method !== 'GET' && request.headers['x-berth-csrf'] !== me.csrf)
      throw new Refusal(403, 'csrf-wrong', 'the CSRF token is another')
    if (url.pathname === '/v1/watch') return watch(request, response, url.searchParams)
    if (url.pathname === '/v1/events' && request.headers.accept === 'text/event-stream')
      return streamEvents(request, response, url.searchParams)
    const at = request.method === 'GET' && url.searchParams.get('at')
    const past = at ? pastAt(url.pathname, at) : null
    for (const route of past?.routes ?? routes) {
      const match = route.method === request.method && route.path.exec(url.pathname)
      if (match)
        return reply(
          response,
          withMoment(
            past,
            route.answer({
              me,
              query: url.searchParams,
              body,
              bytes,
              headers: request.headers,
              match: match.map((part) => part && decodeURIComponent(part)),
            }),
          ),
        )
    }
    throw new Refusal(404, 'no-such-route', `${request.method} ${url.pathname}`)
  }

  /** The routes as they answer of a moment; those that have none refuse it. */
  function pastAt(path, at) {
    control.moments.add(at)
    if (control.busy > 0) {
      control.busy -= 1
      throw new Refusal(503, 'past-busy', 'the past is being read for others')
    }
    if (
      !/^\/v1\/(sessions(\/[^/]+(\/why)?)?|agents|groups|images|presets|slots|limits|users|projects|domains|keys|resource.*|folders|volumes|quarantine)$/.test(
        path,
      )
    )
      throw new Refusal(400, 'no-past', `${path} has no past`)
    const { then, at: moment } = clusterAt(cluster, at)
    return { moment, routes: routesOf(then, people, origin, shells, apps, folders, producers) }
  }

  const withMoment = (past, answer) =>
    past && answer.body ? { ...answer, body: { ...answer.body, at: past.moment } } : answer

  /** Login routes are open to who is not signed in. */
  function openRoute(request, path, body) {
    if (request.method !== 'POST' || !path.startsWith('/v1/login')) return null
    const signedIn = (user) => {
      const id = people.signIn(user, (request.headers['user-agent'] ?? '').slice(0, 40))
      return { status: 200, body: { user: people.me(id) }, cookie: id }
    }
    if (path === '/v1/login/link/check') return { status: 200, body: people.link(body.token) }
    if (path === '/v1/login/link') {
      const { user } = people.link(body.token)
      people.setPassword(user, body.password)
      people.links.delete(body.token)
      return signedIn(user)
    }
    people.login(body.user, body.password)
    return signedIn(body.user)
  }

  function watch(request, response, query) {
    const tables = query.get('tables').split(',')
    const send = openStream(request, response)
    const position = () => send(`event: position\ndata: {"position":${cluster.position}}\n\n`)
    const tell = ({ table, key, row, before, gone: isGone, position: at }) => {
      const me = people.me(cookieOf(request))
      if (!me) return response.end('event: restart\ndata: {"code":"signed-out","detail":"signed out"}\n\n')
      const withdrawn = !sees(me, table, row)
      if (!tables.includes(table) || (withdrawn && !(before && sees(me, table, before)))) return
      const gone = isGone || withdrawn
      const data = gone ? { table, key } : { table, key, row: shownTo(me, table, row) }
      send(`event: ${gone ? 'gone' : 'put'}\nid: ${at}\ndata: ${JSON.stringify(data)}\n\n`)
      position()
    }
    const after = Number(query.get('after') ?? cluster.position)
    if (after < cluster.changes[0].position)
      return response.end('event: restart\ndata: {"code":"too-old","detail":"read again"}\n\n')
    cluster.changes.filter((change) => change.position > after).forEach(tell)
    position()
    const beat = setInterval(position, 4_000)
    listen(response, tell, () => clearInterval(beat))
  }

  function streamEvents(request, response, query) {
    const send = openStream(request, response)
    listen(
      response,
      ({ event }) =>
        event &&
        wanted(event, query) &&
        send(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
      () => {},
    )
  }

  function openStream(request, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    control.streams.add(response)
    response.on('close', () => control.streams.delete(response))
    return (frame) => response.write(frame)
  }

  function listen(response, tell, end) {
    cluster.listeners.add(tell)
    response.on('close', () => {
      cluster.listeners.delete(tell)
      end()
    })
  }

  return new Promise((resolve) =>
    server.listen(port, '127.0.0.1', () =>
      resolve({
        origin: origin(),
        cluster,
        people,
        shells,
        apps,
        folders,
        producers,
        streams: () => control.streams.size,
        listings: () => control.listings,
        cut: () => control.streams.forEach((stream) => stream.destroy()),
        down: (down) => {
          control.down = down
          if (!down) return
          shells.cutAll()
          apps.cutAll()
        },
        /** So many chunks of uploads are lost on their way. */
        cutUploads: (count) => {
          control.cutUploads = count
        },
        /** So many reads of the past are answered by 503. */
        busyPast: (count) => {
          control.busy = count
        },
        moments: control.moments,
        fault: (pattern) => {
          control.fault = pattern
        },
        close: () => {
          shells.cutAll()
          apps.cutAll()
          server.closeAllConnections()
          server.close()
        },
      }),
    ),
  )
}

const cookieOf = (request) => new RegExp(`${COOKIE}=([^;]+)`).exec(request.headers.cookie ?? '')?.[1]

async function bytesOf(request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

function reply(response, { status, body, raw, headers = {}, cookie }) {
  if (cookie !== undefined)
    response.setHeader('Set-Cookie', `${COOKIE}=${cookie}; Path=/v1; HttpOnly; SameSite=Strict`)
  response.writeHead(status, {
    'Content-Type': raw ? 'application/octet-stream' : 'application/json',
    'Cache-Control': 'no-store',
    ...headers,
  })
  response.end(raw ?? JSON.stringify(body))
}

function fail(response, error) {
  const problem = error.problem ?? {
    type: 'urn:berth:error:internal-error',
    title: 'Error',
    status: 500,
    code: 'internal-error',
    detail: String(error),
    request_id: randomUUID(),
  }
  response.writeHead(problem.status, {
    'Content-Type': 'application/problem+json',
    ...(problem.status === 503 && { 'Retry-After': '1' }),
  })
  response.end(JSON.stringify(problem))
}

/** The page of an app's window posts to the apps' origins, and says by which origin it does. */
function serveFile(response, folder, path, port) {
  const opensApps = path.startsWith('/session/')
  const asked = join(folder, normalize(path))
  const file = existsSync(asked) && statSync(asked).isFile() ? asked : join(folder, 'index.html')
  response.writeHead(200, {
    'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': cspOf(opensApps ? `'self' http://*.localhost:${port}` : "'self'"),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': opensApps ? 'strict-origin' : 'no-referrer',
  })
  createReadStream(file).pipe(response)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '7480' },
      console: { type: 'string', default: '../../build/release/console' },
      empty: { type: 'boolean' },
      rows: { type: 'string', default: '0' },
    },
  })
  const fake = await startFake({
    port: Number(values.port),
    folder: values.console,
    empty: values.empty,
    rows: Number(values.rows),
  })
  console.log(`a FAKE Berth, of no use but for its looks: ${fake.origin}/#/link/first-start`)
}
