// What the FAKE server answers to: the routes of /v1 that the console asks for.
import { randomBytes, randomUUID } from 'node:crypto'
import { Refusal, hasEnded, micro, text } from './cluster.mjs'
import { decision } from './decisions.mjs'
import { operatorRoutes } from './operators.mjs'
import { bounds, diff } from './past.mjs'
import { producerRoutes } from './producers.mjs'
import { isSharedWith, sees, shownTo } from './people.mjs'

const LISTS = {
  agents: 'agents',
  groups: 'groups',
  images: 'images',
  presets: 'presets',
  slots: 'slots',
  users: 'users',
  projects: 'projects',
  domains: 'domains',
  keys: 'keys',
  limits: 'limits',
  'browser-sessions': 'browser_sessions',
}
const NAME = '([^/]+)'

const need = (me, roles) => {
  if (!roles.includes(me.role)) throw new Refusal(403, 'denied', 'your role does not include it')
}

/** A session whose terminal this person may open: their own, or one shared with them, while it runs. */
export function terminalOf(cluster, me, name) {
  const { sessions } = cluster.tables
  const found = sessions.get(name) ?? [...sessions.values()].findLast((one) => one.name === name)
  if (!found || !sees(me, 'sessions', found))
    throw new Refusal(404, 'unknown-session', `there is no session ${name}`)
  if ((found.owner.user !== me.user && !isSharedWith(me, found)) || me.role === 'monitor')
    throw new Refusal(403, 'denied', 'only its owner opens a terminal in a session')
  if (found.status !== 'RUNNING')
    throw new Refusal(409, hasEnded(found) ? 'session-ended' : 'session-not-running', 'it does not run')
  return found
}

/**
 * What ends with a session: its name says it, as "lost-cut" (not all was looked at) and "lost-silent" (nobody answers). Names are
 * for its owner.
 */
function lossesOf(me, { name, owner }) {
  if (name.startsWith('lost-silent')) throw new Refusal(409, 'channel-closed', 'the kernel has ended')
  const own = owner.user === me.user
  const file = (path, bytes) => ({ kernel: 'main1', path: `/home/work/${path}`, bytes })
  const names = [file('Untitled.ipynb', 1480), file('모델/weights.bin', 51_000_000), file('a\u202eb', 3)]
  const lost = name.startsWith('lost')
  return {
    status: 200,
    body: {
      files: lost ? 12 : 0,
      bytes: lost ? 51_002_000 : 0,
      complete: name !== 'lost-cut',
      names: lost && own ? names : [],
      unknown: [],
    },
  }
}

export function routesOf(cluster, people, origin, shells, apps, folders, producers) {
  const { tables } = cluster
  const seen = (me, table) =>
    [...tables[table].values()].filter((row) => sees(me, table, row)).map((row) => shownTo(me, table, row))
  const done = (extra = {}) => ({ status: 200, body: { ...extra, position: cluster.position } })
  const session = (me, name) => {
    const found =
      tables.sessions.get(name) ?? [...tables.sessions.values()].findLast((one) => one.name === name)
    if (!found || !sees(me, 'sessions', found))
      throw new Refusal(404, 'unknown-session', `there is no session ${name}`)
    return found
  }
  const admin = ['superadmin', 'domain-admin']
  const routes = []
  const on = (method, path, answer) => routes.push({ method, path: new RegExp(`^/v1/${path}$`), answer })

  on('GET', 'whoami', ({ me }) => ({ status: 200, body: me }))
  on('POST', 'logout', ({ me }) => {
    people.cookies.delete(me.browser_session)
    cluster.remove('browser_sessions', me.browser_session)
    return { status: 200, body: {}, cookie: '' }
  })

  on('GET', 'sessions', ({ me, query }) => {
    const states = query.get('state') ?? 'live'
    const fits =
      { live: (one) => !hasEnded(one), ended: hasEnded, all: () => true }[states] ??
      ((one) => states.split(',').includes(one.status))
    const rows = seen(me, 'sessions').filter(
      (one) => fits(one) && (!query.get('group') || one.group === query.get('group')),
    )
    if (states === 'ended') rows.sort((a, b) => b.ended_at.localeCompare(a.ended_at))
    const begin = Number(query.get('page_token') || 0)
    const limit = Number(query.get('limit') ?? 100)
    return done({
      sessions: rows.slice(begin, begin + limit),
      next_page_token: begin + limit < rows.length ? String(begin + limit) : null,
    })
  })
  on('POST', 'sessions', ({ me, query, body }) => {
    const owner = { domain: body.domain ?? me.domain, project: body.project ?? 'default', user: me.user }
    const sessions = cluster.create(body, owner)
    const mounts = folders.mounts(me, body.mounts)
    for (const one of sessions) one.mounts = mounts
    if (query.get('dry_run') === 'true') return { status: 200, body: dryRun(cluster, sessions) }
    cluster.accept(sessions, me.user)
    return { status: 201, body: { sessions, warnings: [], dependencies: [], position: cluster.position } }
  })
  on('POST', 'sessions/terminate', ({ me, body }) =>
    done({
      results: body.ids.map((id) => {
        const found = tables.sessions.get(id)
        return { id, outcome: found && sees(me, 'sessions', found) ? cluster.end(found, me.user) : 'unknown' }
      }),
    }),
  )
  on('GET', `sessions/${NAME}`, ({ me, match }) => ({
    status: 200,
    body: shownTo(me, 'sessions', session(me, match[1])),
  }))
  on('PUT', `sessions/${NAME}/shares`, ({ me, match, body }) => {
    const one = session(me, match[1])
    if (one.owner.user !== me.user) throw new Refusal(403, 'denied', 'it is not yours to share')
    const { user, project, withdraw = false } = body
    if (user && !tables.users.has(user))
      throw new Refusal(404, 'unknown-user', `there is no user ${user}`, { place: 'user' })
    const whom = user ? { user } : { project: project.includes('/') ? project : `${me.domain}/${project}` }
    const others = one.shares.filter((share) => share.user !== whom.user || share.project !== whom.project)
    cluster.change(one, { shares: withdraw ? others : [...others, whom] })
    return done({ session: shownTo(me, 'sessions', tables.sessions.get(one.id)) })
  })
  on('GET', `sessions/${NAME}/why`, ({ me, match }) => ({
    status: 200,
    body: why(cluster, session(me, match[1])),
  }))
  on('GET', `sessions/${NAME}/logs`, ({ me, match, query }) => {
    const one = session(me, match[1])
    const bytes = Buffer.from(cluster.logs.get(one.id) ?? '')
    const asked = Number(query.get('offset') ?? 0)
    const begin = asked < 0 ? Math.max(0, bytes.length + asked) : Math.min(asked, bytes.length)
    return {
      status: 200,
      raw: bytes.subarray(begin),
      headers: {
        'X-Berth-Log-Offset': begin,
        'X-Berth-Log-Next': bytes.length,
        ...(hasEnded(one) && { 'X-Berth-Log-End': 'true' }),
      },
    }
  })

  on('GET', `sessions/${NAME}/shells`, ({ me, match, query }) => ({
    status: 200,
    body: { items: shells.list(terminalOf(cluster, me, match[1]), query.get('kernel') ?? 'main1') },
  }))
  on('DELETE', `sessions/${NAME}/shells/${NAME}`, ({ me, match, query }) => {
    shells.end(terminalOf(cluster, me, match[1]), query.get('kernel') ?? 'main1', match[2])
    return { status: 200, body: {} }
  })

  on('GET', `sessions/${NAME}/losses`, ({ me, match }) => lossesOf(me, session(me, match[1])))
  on('GET', `sessions/${NAME}/apps`, ({ me, match }) => ({
    status: 200,
    body: { items: apps.list(terminalOf(cluster, me, match[1])) },
  }))
  on('DELETE', `sessions/${NAME}/apps/${NAME}`, ({ me, match }) => {
    apps.end(terminalOf(cluster, me, match[1]), match[2])
    return { status: 204 }
  })
  on('POST', `sessions/${NAME}/apps/${NAME}/open`, ({ me, match }) => ({
    status: 200,
    body: apps.ticket(terminalOf(cluster, me, match[1]), match[2], new URL(origin()).port),
  }))

  const folder = (method, path, answer) =>
    on(method, `folders/${NAME}${path}`, (call) => ({
      status: 200,
      body: folders.show(call.me, answer({ ...call, id: call.match[1] })),
    }))
  on('GET', 'volumes', () => ({ status: 200, body: { items: [...folders.volumes.values()] } }))
  on('GET', 'folders', ({ me, query }) => done({ items: folders.list(me, query), next_page_token: null }))
  on('POST', 'folders', ({ me, body }) => ({ status: 201, body: folders.show(me, folders.create(me, body)) }))
  folder('GET', '', ({ me, id }) => folders.find(me, id))
  folder('PATCH', '', ({ me, id, body }) => folders.rename(me, id, body))
  folder('DELETE', '', ({ me, id }) => folders.purge(me, id))
  folder('POST', '/trash', ({ me, id }) => folders.trash(me, id))
  folder('POST', '/restore', ({ me, id, body }) => folders.restore(me, id, body))
  folder('PUT', '/shares', ({ me, id, body }) => folders.share(me, id, body))

  const file = (method, path, answer) =>
    on(method, `folders/${NAME}/${path}`, (call) => ({
      status: 200,
      body: answer({ ...call, id: folders.find(call.me, call.match[1]).id, upload: call.match[2] }) ?? {},
    }))
  file('GET', 'files', ({ me, id, query }) => folders.listing(me, id, query))
  file('POST', 'files', ({ me, id, body }) => folders.change(me, id, body))
  file('POST', 'uploads', ({ me, id, body }) => folders.beginUpload(me, id, body))
  file('GET', `uploads/${NAME}`, ({ me, id, upload }) => ({ offset: folders.upload(me, id, upload).offset }))
  file('PUT', `uploads/${NAME}`, ({ me, id, upload, query, bytes, headers }) =>
    folders.putChunk(me, id, upload, Number(query.get('offset')), bytes, headers['x-berth-sha256']),
  )
  file('POST', `uploads/${NAME}/finish`, ({ me, id, upload }) => folders.finishUpload(me, id, upload))
  file('DELETE', `uploads/${NAME}`, ({ me, id, upload }) => {
    folders.upload(me, id, upload)
    folders.uploads.delete(upload)
  })
  on('GET', `folders/${NAME}/file`, ({ me, match, query }) => ({
    status: 200,
    raw: folders.download(me, match[1], query.get('path')),
    headers: { 'Content-Disposition': 'attachment' },
  }))

  for (const [path, table] of Object.entries(LISTS))
    on('GET', path, ({ me }) => done({ [table]: seen(me, table), next_page_token: null }))

  on('POST', `agents/${NAME}/(drain|undrain)`, ({ me, match }) => {
    need(me, ['superadmin'])
    const agent = {
      ...tables.agents.get(match[1]),
      draining: match[2] === 'drain',
      schedulable: match[2] !== 'drain',
    }
    cluster.put('agents', match[1], agent)
    cluster.schedule()
    return done({ agent })
  })
  on('GET', 'resource', ({ me, query }) => ({
    status: 200,
    body: cluster.resource(query.get('group') ?? 'default', me.user),
  }))
  on('GET', 'resource/check-presets', ({ me, query }) => {
    const group = query.get('group') ?? 'default'
    const presets = [...tables.presets.values()].map((preset) => ({
      ...preset,
      allocatable: Boolean(cluster.placeFor({ group, resources: preset.resources }).agent),
    }))
    return {
      status: 200,
      body: {
        group,
        user: me.user,
        using: {},
        remaining: {},
        scopes: [],
        presets,
        position: cluster.position,
      },
    }
  })
  on('GET', 'quarantine', ({ me }) => {
    need(me, ['superadmin', 'monitor'])
    return done({
      quarantine: [{ subject: 'requests/0@17', failures: 2, answered: true }],
      next_page_token: null,
    })
  })
  on('POST', 'quarantine/release', ({ me }) => {
    need(me, ['superadmin'])
    return done()
  })
  on('GET', 'events', ({ me, query }) => {
    need(me, ['superadmin', 'monitor'])
    if (query.get('session')) session(me, query.get('session'))
    const events = cluster.events.filter(
      (event) =>
        wanted(event, query) &&
        event.offset >= Number(query.get('from') ?? 0) &&
        event.offset <= Number(query.get('to') ?? Infinity),
    )
    return done({ events: events.slice(0, Number(query.get('limit') ?? 100)), next_page_token: null })
  })

  on('GET', 'decisions/([0-9]+-[0-9]+)', ({ match }) => ({ status: 200, body: decision(cluster, match[1]) }))
  on('GET', 'past', () => ({ status: 200, body: bounds(cluster) }))
  on('GET', 'diff', ({ query }) => ({ status: 200, body: diff(cluster, query.get('from'), query.get('to')) }))

  operatorRoutes(on, need, cluster)
  producerRoutes(on, need, cluster, producers)

  on('POST', 'users', ({ me, body }) => {
    need(me, admin)
    return { status: 201, body: { user: people.add(body), position: cluster.position } }
  })
  on('PATCH', `users/${NAME}`, ({ me, match, body }) => {
    need(me, admin)
    const user = { ...tables.users.get(match[1]), ...body }
    cluster.put('users', match[1], user)
    return done({ user })
  })
  on('DELETE', `users/${NAME}`, ({ me, match, query }) => {
    need(me, admin)
    const live = [...tables.sessions.values()].filter((one) => one.owner.user === match[1] && !hasEnded(one))
    if (live.length > 0 && query.get('end_sessions') !== 'true')
      throw new Refusal(
        409,
        'in-use',
        `${match[1]} has live sessions: ${live.map(({ name }) => name).join(', ')}`,
        { hint: 'end them, or end them with it' },
      )
    live.forEach((one) => cluster.end(one, me.user))
    cluster.remove('users', match[1])
    return done()
  })
  on('POST', `users/${NAME}/link`, ({ me, match }) => {
    need(me, admin)
    const { token, expires_at } = people.makeLink(match[1])
    return { status: 201, body: { url: `${origin()}/#/link/${token}`, token, expires_at } }
  })
  on('PUT', `users/${NAME}/password`, ({ me, body }) => {
    if (people.passwords.get(me.user) !== body.old)
      throw new Refusal(400, 'wrong-password', 'this is not your password', { place: 'old' })
    people.setPassword(me.user, body.new)
    return done()
  })

  on('POST', 'projects', ({ me, body }) => {
    need(me, admin)
    const project = { display_name: '', members: [], sessions: 0, ...body }
    cluster.put('projects', `${body.domain}/${body.name}`, project)
    return { status: 201, body: { project, position: cluster.position } }
  })
  on('PATCH', `projects/${NAME}/${NAME}`, ({ me, match, body }) => changeProject(me, match, () => body))
  on('PUT', `projects/${NAME}/${NAME}/members/${NAME}`, ({ me, match, body }) =>
    changeProject(me, match, ({ members }) => ({
      members: [
        ...members.filter(({ user }) => user !== match[3]),
        { user: match[3], admin: body.level === 'admin' },
      ],
    })),
  )
  on('DELETE', `projects/${NAME}/${NAME}/members/${NAME}`, ({ me, match }) =>
    changeProject(me, match, ({ members }) => ({ members: members.filter(({ user }) => user !== match[3]) })),
  )
  on('DELETE', `projects/${NAME}/${NAME}`, ({ me, match }) => {
    need(me, admin)
    cluster.remove('projects', `${match[1]}/${match[2]}`)
    return done()
  })
  function changeProject(me, match, changes) {
    need(me, admin)
    const key = `${match[1]}/${match[2]}`
    const project = tables.projects.get(key)
    cluster.put('projects', key, { ...project, ...changes(project) })
    return done()
  }

  on('POST', 'domains', ({ me, body }) => {
    need(me, ['superadmin'])
    const domain = { display_name: '', users: 0, projects: 0, sessions: 0, ...body }
    cluster.put('domains', body.name, domain)
    return { status: 201, body: { domain, position: cluster.position } }
  })
  for (const [path, table, key] of [
    ['groups', 'groups', 'name'],
    ['presets', 'presets', 'name'],
    ['images', 'images', 'reference'],
  ]) {
    on('POST', path, ({ me, body }) => {
      need(me, ['superadmin'])
      cluster.put(table, body[key], { ...FIRST[table], ...tables[table].get(body[key]), ...body })
      return { status: 201, body: { position: cluster.position } }
    })
    on('DELETE', `${path}/${NAME}`, ({ me, match }) => {
      need(me, ['superadmin'])
      cluster.remove(table, match[1])
      return done()
    })
  }
  on('PUT', `limits/${NAME}/${NAME}`, ({ me, match, body }) => {
    need(me, admin)
    if (match[1] === 'user' && !tables.users.has(match[2]))
      throw new Refusal(400, 'unknown-owner', `there is no user ${match[2]}`, { place: 'id' })
    const using = { slots: {}, sessions: 0, system_sessions: 0, pending: 0, pending_slots: {} }
    cluster.put('limits', `${match[1]}/${match[2]}`, {
      scope: match[1],
      id: match[2],
      pending_slots: {},
      system_sessions: null,
      kernels_per_session: null,
      priority: null,
      using,
      ...body,
    })
    return done()
  })
  on('DELETE', `limits/${NAME}/${NAME}`, ({ me, match }) => {
    need(me, admin)
    cluster.remove('limits', `${match[1]}/${match[2]}`)
    return done()
  })
  on('POST', 'keys', ({ me, body }) => {
    const key = {
      id: `BK${randomBytes(8).toString('hex').toUpperCase()}`,
      user: me.user,
      name: body.name,
      active: true,
      read_only: Boolean(body.read_only),
      created_at: new Date().toISOString(),
      used_at: null,
      expires_at: new Date(Date.now() + 90 * 86_400_000).toISOString(),
    }
    cluster.put('keys', key.id, key)
    return {
      status: 201,
      body: { key, secret_key: randomBytes(24).toString('base64url'), position: cluster.position },
    }
  })
  on('DELETE', `keys/${NAME}`, ({ match }) => {
    cluster.remove('keys', match[1])
    return done()
  })
  on('DELETE', `browser-sessions/${NAME}`, ({ match }) => {
    people.cookies.delete(match[1])
    cluster.remove('browser_sessions', match[1])
    return done()
  })
  return routes
}

export const FIRST = {
  groups: {
    order: 'fifo',
    head_of_line: { policy: 'strict', n: 0 },
    impossible: 'skip',
    egress: 'none',
    select: 'concentrated',
    custom: null,
    slot_priority: [],
    devices: {},
    exclusive_slots: [],
    fair_share: null,
    pending_timeout: null,
    max_attempts: 5,
    shm: null,
    disk: null,
    preemption: { enabled: false, order: 'oldest', mode: 'terminate', scope: 'user', min_runtime: null },
    open_to: [],
  },
  presets: { shm: null },
  images: {
    digest: '',
    labels: {},
    architecture: 'x86_64',
    building: null,
    build_failed: null,
    apps: [],
    memory_min: null,
    memory_recommended: null,
  },
}

export function wanted(event, query) {
  return (
    (!query.get('session') || event.session === query.get('session')) &&
    (!query.get('type') || query.get('type').split(',').includes(event.type))
  )
}

function dryRun(cluster, sessions) {
  const agents = structuredClone(cluster.tables.agents)
  let waiting = null
  const answers = sessions.map((session) => {
    const place = cluster.placeFor(session, agents)
    if (!place.agent) waiting ??= why(cluster, session, place.lacking)
    else
      for (const [slot, amount] of Object.entries(session.resources))
        place.agent.slots[slot].free = text(micro(place.agent.slots[slot].free) - micro(amount))
    return {
      name: session.name,
      starts_now: Boolean(place.agent),
      kernels: place.agent ? [{ kernel: 'main1', agent: place.agent.name, devices: place.shares }] : [],
      preempts: [],
      preempts_count: 0,
    }
  })
  const largest = (slot) =>
    [...agents.values()].reduce(
      (most, agent) =>
        micro(agent.slots[slot]?.capacity ?? '0') > most ? micro(agent.slots[slot].capacity) : most,
      0n,
    )
  const never = Object.entries(sessions[0].resources).find(([slot, amount]) => micro(amount) > largest(slot))
  return {
    dry_run: true,
    starting_now: answers.filter((one) => one.starts_now).length,
    sessions: answers,
    waiting,
    note: null,
    warnings: never ? [`no agent could ever hold ${never[0]} ${never[1]}`] : [],
  }
}

function why(cluster, session, lacking = cluster.placeFor(session).lacking) {
  const holders = [...cluster.tables.sessions.values()].filter(
    (one) => one.status === 'RUNNING' && lacking && micro(one.resources[lacking.slot] ?? '0') > 0n,
  )
  const first = holders[0]
  return {
    session: session.id,
    name: session.name,
    status: session.status,
    code: lacking ? 'no-capacity' : null,
    slot: lacking?.slot ?? null,
    text: lacking ? `no agent has ${lacking.asked} of ${lacking.slot} free` : session.status,
    hint: lacking ? 'end a session that holds it, or ask for less' : '',
    lacking: lacking ? [lacking] : [],
    holders: [],
    holders_total: holders.length,
    limits: [],
    unmet: [],
    unblock: {
      lines: first ? [`starts if ${first.name} ends`] : [],
      ends: first ? [[first.id]] : [],
      leaves: [],
      complete: true,
      proved: true,
    },
    estimated_start: lacking
      ? {
          p50: { at: null, none: 'ends-unknown', told: 0, met_permille: 0 },
          p90: {
            at: first ? new Date(Date.now() + 600_000).toISOString() : null,
            none: null,
            told: 4,
            met_permille: 750,
          },
        }
      : null,
    blocked_by: null,
    blocked_by_name: null,
    queue_position: session.queue_position,
    request: randomUUID(),
  }
}
