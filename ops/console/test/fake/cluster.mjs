// A FAKE cluster in memory: enough of sessions, agents and people to show the console by. It schedules by first fit.
import { randomUUID } from 'node:crypto'

const MICRO = 1_000_000n
const SUFFIXES = { k: 1n << 10n, m: 1n << 20n, g: 1n << 30n, t: 1n << 40n }
const ENDS = new Set(['TERMINATED', 'CANCELLED', 'ERROR'])
const OCCUPIES = new Set(['SCHEDULED', 'PREPARING', 'CREATING', 'RUNNING', 'TERMINATING'])

export const hasEnded = (session) => ENDS.has(session.status)

export function micro(text) {
  const match = /^(\d+)(?:\.(\d{1,6}))?([kmgt]?)$/i.exec(String(text))
  if (!match) return null
  return (
    (BigInt(match[1]) * MICRO + BigInt((match[2] ?? '').padEnd(6, '0'))) *
    (SUFFIXES[match[3].toLowerCase()] ?? 1n)
  )
}

export function text(amount) {
  const fraction = String(amount % MICRO)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${amount / MICRO}${fraction ? `.${fraction}` : ''}`
}

export class Refusal extends Error {
  constructor(status, code, detail, { hint = '', place = '' } = {}) {
    super(detail)
    this.problem = {
      type: `urn:berth:error:${code}`,
      title: 'Refused',
      status,
      code,
      detail,
      ...(hint && { hint }),
      request_id: randomUUID(),
      ...(place && { errors: [{ place, message: detail }] }),
    }
  }
}

const CHANGES_KEPT = 10_000
const TABLES = [
  'sessions',
  'agents',
  'groups',
  'images',
  'presets',
  'slots',
  'users',
  'projects',
  'domains',
  'keys',
  'limits',
  'browser_sessions',
]

export class Cluster {
  position = 1
  tables = Object.fromEntries(TABLES.map((name) => [name, new Map()]))
  events = []
  listeners = new Set()
  changes = []
  logs = new Map()

  put(table, key, row) {
    const before = this.tables[table].get(key)
    this.position += 1
    this.tables[table].set(key, row)
    this.tell({ table, key, row, before, position: this.position })
  }

  remove(table, key) {
    const row = this.tables[table].get(key)
    this.position += 1
    this.tables[table].delete(key)
    this.tell({ table, key, row, gone: true, position: this.position })
  }

  tell(change) {
    change.time = new Date().toISOString()
    this.changes.push(change)
    if (this.changes.length > CHANGES_KEPT) this.changes.shift()
    this.listeners.forEach((listener) => listener(change))
  }

  event(type, words, session, data = {}, actor = '') {
    const offset = this.position
    const event = {
      id: `${offset}-0`,
      offset,
      index: 0,
      position: `1.${offset}.0`,
      time: new Date().toISOString(),
      type,
      actor,
      request_id: null,
      cause: this.events.at(-1)?.position ?? null,
      trace: '',
      text: words,
      session: session ?? null,
      data,
    }
    this.events.push(event)
    this.listeners.forEach((tell) => tell({ event }))
  }

  addAgent(name, slots, devices, group = 'default') {
    const use = (amounts) =>
      Object.fromEntries(
        Object.entries(amounts).map(([slot, capacity]) => [
          slot,
          { capacity: text(micro(capacity)), taken: '0', free: text(micro(capacity)) },
        ]),
      )
    const ofDevices = {}
    for (const device of devices)
      for (const [slot, amount] of Object.entries(device.slots))
        ofDevices[slot] = text(micro(ofDevices[slot] ?? '0') + micro(amount))
    this.put('agents', name, {
      name,
      state: 'ALIVE',
      draining: false,
      schedulable: true,
      fit: true,
      unfit: null,
      group,
      architecture: 'x86_64',
      backend: 'oci',
      version: '0.1.0',
      address: '127.0.0.1:7411',
      incarnation: randomUUID(),
      generation: 1,
      joined_at: new Date().toISOString(),
      containers: 0,
      max_containers: 0,
      disk_enforced: null,
      slots: use({ ...slots, ...ofDevices }),
      devices: devices.map(({ id, slots: amounts }) => ({ id, model: 'mock', numa: 0, slots: use(amounts) })),
      kernels: [],
    })
  }

  /** All or none, as POST /v1/sessions. */
  create(request, owner) {
    const group = this.tables.groups.get(request.group ?? 'default')
    if (!group)
      throw new Refusal(400, 'unknown-group', `there is no resource group ${request.group}`, {
        place: 'group',
      })
    if (request.image && !this.tables.images.has(request.image))
      throw new Refusal(400, 'unknown-image', `there is no image ${request.image}`, { place: 'image' })
    if (request.name && !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(request.name))
      throw new Refusal(400, 'invalid-name', `${request.name} is no name`, { place: 'name' })
    for (const [slot, amount] of Object.entries(request.resources ?? {})) {
      const asked = micro(amount)
      if (asked === null)
        throw new Refusal(400, 'invalid-amount', `${slot} ${amount} is no amount`, {
          place: `resources.${slot}`,
        })
      if (slot === 'cuda.shares' && asked % 100_000n !== 0n)
        throw new Refusal(400, 'invalid-amount', `cuda.shares ${amount} is no multiple of 0.1`, {
          place: 'resources.cuda.shares',
          hint: 'a nearest multiple of 0.1',
        })
    }
    const count = request.count ?? 1
    const launch = randomUUID()
    const base = request.name ?? `session-${String(Date.now()).slice(-8)}`
    return Array.from({ length: count }, (_, index) =>
      this.newSession(request, owner, count > 1 ? `${base}-${index + 1}` : base, launch),
    )
  }

  newSession(request, owner, name, launch) {
    const resources = Object.fromEntries(
      Object.entries(request.resources ?? {}).map(([slot, amount]) => [slot, text(micro(amount))]),
    )
    const image = request.image ?? ''
    return {
      id: randomUUID(),
      name,
      status: 'PENDING',
      result: null,
      type: request.type ?? 'interactive',
      image,
      group: request.group ?? 'default',
      architecture: 'x86_64',
      priority: request.priority ?? 10,
      owner,
      shares: [],
      resources,
      roles: [{ role: 'main', count: 1, resources, image, architecture: 'x86_64' }],
      mode: 'single-node',
      cluster_size: 1,
      designated: null,
      depends_on: [],
      on_dependency_failure: 'cancel',
      shm: '67108864',
      mounts: [],
      env: request.env ?? {},
      command: request.command ?? [],
      requeueable: false,
      pending_timeout: null,
      batch_timeout: null,
      start_time: request.start_time ?? null,
      max_attempts: 5,
      created_at: new Date().toISOString(),
      scheduled_at: null,
      running_at: null,
      ended_at: null,
      reason: { code: 'not-tried-yet', slot: null },
      message: '',
      attempt: 1,
      attempts: 0,
      retries: 0,
      exit_code: null,
      forced: false,
      queue_position: null,
      job_priority: 0,
      preemptible: true,
      session_group: null,
      held_on: [],
      preempted_for: null,
      agents: [],
      agent_gone: null,
      request_id: launch,
      kernels: [
        {
          id: randomUUID(),
          name: 'main1',
          role: 'main',
          index: 1,
          state: 'PENDING',
          agent: '',
          attempt: 1,
          devices: [],
          percent: null,
          started_at: null,
          ended_at: null,
          pid: null,
          end: null,
          exit_code: null,
          code: '',
          message: '',
        },
      ],
    }
  }

  accept(sessions, actor) {
    for (const session of sessions) {
      this.put('sessions', session.id, session)
      this.event(
        'SessionRequested',
        `${session.name} by ${actor}`,
        session.id,
        { session_id: session.id, name: session.name },
        `user:${actor}`,
      )
    }
    this.schedule()
  }

  change(session, changes) {
    const next = { ...session, ...changes }
    this.put('sessions', session.id, next)
    return next
  }

  /** Where a session fits now: the agent, and the shares of its devices; or what it lacks. */
  placeFor(session, agents = this.tables.agents) {
    let lacking = null
    for (const agent of agents.values()) {
      if (agent.group !== session.group || !agent.schedulable) continue
      const lack = Object.entries(session.resources).find(
        ([slot, amount]) => micro(amount) > micro(agent.slots[slot]?.free ?? '0'),
      )
      if (lack) {
        lacking ??= {
          slot: lack[0],
          asked: lack[1],
          best_free: agent.slots[lack[0]]?.free ?? '0',
          where: agent.name,
        }
        continue
      }
      const shares = devicesFor(agent, session.resources)
      if (shares) return { agent, shares }
    }
    return { lacking }
  }

  schedule() {
    let position = 0
    for (const session of [...this.tables.sessions.values()]) {
      if (session.status !== 'PENDING') continue
      const place = this.placeFor(session)
      if (place.agent) this.start(session, place)
      else {
        position += 1
        const reason = {
          code: place.lacking ? 'no-capacity' : 'no-agents',
          slot: place.lacking?.slot ?? null,
        }
        if (session.queue_position !== position || session.reason?.code !== reason.code)
          this.change(session, { queue_position: position, reason })
      }
    }
  }

  start(session, { agent, shares }) {
    const now = new Date().toISOString()
    const kernels = session.kernels.map((kernel) => ({
      ...kernel,
      state: 'SCHEDULED',
      agent: agent.name,
      devices: shares,
    }))
    let current = this.change(session, {
      status: 'SCHEDULED',
      scheduled_at: now,
      agents: [agent.name],
      kernels,
      reason: null,
      queue_position: null,
    })
    this.event('SessionScheduled', `${session.name} attempt 1: main1 on ${agent.name}`, session.id, {
      session_id: session.id,
      agent: agent.name,
    })
    this.count(agent.name)
    const step = (status, extra) => () => {
      const live = this.tables.sessions.get(session.id)
      if (!live || hasEnded(live) || live.status === 'TERMINATING') return
      current = this.change(live, {
        status,
        kernels: live.kernels.map((kernel) => ({
          ...kernel,
          state: status,
          ...(status === 'RUNNING' && { started_at: new Date().toISOString() }),
        })),
        ...extra?.(),
      })
      this.event(
        `Session${status[0]}${status.slice(1).toLowerCase()}`,
        `${session.name} is ${status}`,
        session.id,
      )
      this.count(agent.name)
    }
    setTimeout(step('PREPARING'), 120)
    setTimeout(
      step('RUNNING', () => ({ running_at: new Date().toISOString() })),
      400,
    )
    this.logs.set(session.id, `$ ${session.command.join(' ') || session.image}\nready on ${agent.name}\n`)
  }

  /** An agent's amounts, from the sessions that occupy it. */
  count(name) {
    const agent = structuredClone(this.tables.agents.get(name))
    const here = [...this.tables.sessions.values()].filter(
      (session) => session.agents.includes(name) && OCCUPIES.has(session.status),
    )
    const set = (use, taken) =>
      Object.assign(use, { taken: text(taken), free: text(micro(use.capacity) - taken) })
    for (const [slot, use] of Object.entries(agent.slots))
      set(
        use,
        here.reduce((sum, session) => sum + micro(session.resources[slot] ?? '0'), 0n),
      )
    for (const device of agent.devices) {
      for (const [slot, use] of Object.entries(device.slots)) {
        set(
          use,
          here
            .flatMap((session) => session.kernels[0].devices)
            .filter((share) => share.device === device.id && share.slot === slot)
            .reduce((sum, share) => sum + micro(share.amount), 0n),
        )
      }
    }
    agent.kernels = here.map((session) => ({
      id: session.kernels[0].id,
      name: 'main1',
      session: session.id,
      session_name: session.name,
      user: session.owner.user,
      state: session.status,
      resources: session.resources,
      devices: session.kernels[0].devices,
    }))
    agent.containers = here.length
    this.put('agents', name, agent)
  }

  end(session, actor) {
    if (hasEnded(session)) return 'ended-already'
    if (session.agents.length === 0) {
      this.change(session, {
        status: 'CANCELLED',
        ended_at: new Date().toISOString(),
        reason: { code: 'user-requested', slot: null },
        queue_position: null,
      })
      this.event('SessionCancelled', `${session.name} by ${actor}`, session.id, {}, `user:${actor}`)
      this.schedule()
      return 'ending'
    }
    this.change(session, { status: 'TERMINATING', reason: { code: 'user-requested', slot: null } })
    this.event('SessionTerminating', `${session.name} by ${actor}`, session.id, {}, `user:${actor}`)
    setTimeout(() => this.finish(session.id), 250)
    return 'ending'
  }

  finish(id) {
    const session = this.tables.sessions.get(id)
    const now = new Date().toISOString()
    this.change(session, {
      status: 'TERMINATED',
      ended_at: now,
      kernels: session.kernels.map((kernel) => ({
        ...kernel,
        state: 'TERMINATED',
        ended_at: now,
        end: 'stopped',
        exit_code: 0,
      })),
    })
    this.event('SessionTerminated', `${session.name} ended`, id)
    this.count(session.agents[0])
    this.schedule()
  }

  /** GET /v1/resource: the two bars, by the formulas of the indicator. */
  resource(group, user) {
    const slots = [...this.tables.slots.values()].map(({ name, kind }) => {
      const used = (groups, statuses) =>
        [...this.tables.sessions.values()]
          .filter(
            (session) => session.owner.user === user && groups(session.group) && statuses(session.status),
          )
          .reduce((sum, session) => sum + micro(session.resources[name] ?? '0'), 0n)
      const agents = [...this.tables.agents.values()].filter(
        (agent) => agent.group === group && agent.schedulable,
      )
      const sum = (of) => agents.reduce((total, agent) => total + micro(agent.slots[name]?.[of] ?? '0'), 0n)
      const remaining = sum('free')
      const here = used(
        (one) => one === group,
        (status) => OCCUPIES.has(status),
      )
      const everywhere = used(
        () => true,
        (status) => OCCUPIES.has(status),
      )
      const reserved = used(
        (one) => one === group,
        (status) => OCCUPIES.has(status) && status !== 'RUNNING' && status !== 'TERMINATING',
      )
      const bar = (amount) => ({ used: text(amount), total: text(amount + remaining) })
      return {
        slot: name,
        kind,
        upper: bar(here),
        lower: bar(everywhere),
        reserved: text(reserved),
        running: text(here - reserved),
        remaining: text(remaining),
        capacity: text(sum('capacity')),
      }
    })
    return { group, user, position: this.position, slots }
  }
}

function devicesFor(agent, resources) {
  const shares = []
  for (const device of agent.devices) {
    for (const [slot, use] of Object.entries(device.slots)) {
      const asked =
        micro(resources[slot] ?? '0') -
        shares.filter((share) => share.slot === slot).reduce((sum, share) => sum + micro(share.amount), 0n)
      if (asked <= 0n) continue
      const given = asked < micro(use.free) ? asked : micro(use.free)
      if (given > 0n) shares.push({ device: device.id, slot, amount: text(given) })
    }
  }
  return shares
}
