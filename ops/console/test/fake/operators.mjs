// What the FAKE server tells operators: usage, and the ring of samples. Numbers are made up, but add up.
import { Refusal, micro, text } from './cluster.mjs'

const HOUR = 3_600_000
const STEPS = { '1h': HOUR, '1d': 24 * HOUR }
const KEYS = {
  user: ['alice', 'admin', 'minseo.kim-research-fellow-of-the-vision-lab', 'bo', 'cy', 'di', 'ed', 'flo'],
  project: ['default/vision', 'default/default'],
  domain: ['default'],
  group: ['default', 'gpu-large'],
  device: ['b1/gpu0', 'b1/gpu1', 'a1/gpu0'],
  agent: ['b1', 'a1', 'a2'],
}
const HELD = { cpu: 4, mem: 16 * 2 ** 30, 'cuda.shares': 1.5 }

const add = (sum, more) =>
  Object.fromEntries(
    Object.entries(more).map(([slot, amount]) => [slot, text(micro(sum[slot] ?? '0') + micro(amount))]),
  )

/** Each key holds less than the one before, and some hours nothing. */
function usageOf(query) {
  const [from, to, by] = [query.get('from'), query.get('to'), query.get('by') ?? 'user']
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  if (Number.isNaN(begin) || Number.isNaN(end))
    throw new Refusal(400, 'invalid-time', 'from and to are times')
  if (begin >= end) throw new Refusal(400, 'window-empty', 'from is not before to', { place: 'from' })
  const step = STEPS[query.get('step')] ?? end - begin
  const rows = KEYS[by].map((key) => ({ key, sessions: 0, slot_seconds: {}, waits: null }))
  const series = []
  for (let time = Math.floor(begin / step) * step; time < end; time += step) {
    rows.forEach((row, index) => {
      const share = Math.max(0, Math.sin(time / HOUR / 4 + index) / (index + 1))
      if (share === 0) return
      const slot_seconds = Object.fromEntries(
        Object.entries(HELD).map(([slot, held]) => [slot, String(Math.round((held * share * step) / 1_000))]),
      )
      series.push({ time: new Date(time).toISOString(), key: row.key, slot_seconds })
      row.slot_seconds = add(row.slot_seconds, slot_seconds)
      row.sessions += 1
      row.waits = { count: row.sessions, p50_ms: 500 * (index + 1), p95_ms: 2_000 * (index + 1) }
    })
  }
  const used = rows.filter(({ sessions }) => sessions > 0)
  const total = used.reduce(
    (sum, row) => ({
      sessions: sum.sessions + row.sessions,
      slot_seconds: { ...sum.slot_seconds, ...add(sum.slot_seconds, row.slot_seconds) },
    }),
    { sessions: 0, slot_seconds: {} },
  )
  const utilisation = Object.entries(total.slot_seconds).map(([slot, given]) => ({
    slot,
    capacity_seconds: text(micro(given) * 2n),
    asked_seconds: text((micro(given) * 3n) / 2n),
    given_seconds: given,
  }))
  return {
    from,
    to,
    by,
    rows: used,
    total,
    series: STEPS[query.get('step')] ? series : [],
    since: new Date(begin + HOUR).toISOString(),
    waits: { count: total.sessions, p50_ms: 840, p95_ms: 312_500 },
    utilisation,
  }
}

const WINDOWS = { '5m': 300, '15m': 900, '1h': 3_600 }
const STEP = 5

const begun = Math.floor(Date.now() / 1_000 / STEP)

/** Counted from the start of the fake server: the same numbers at whatever hour the tests run. */
const wave = (index, base, swing) =>
  Math.max(0, base + swing * Math.sin((index - begun) / 17) + swing * 0.4 * Math.sin((index - begun) / 5))

/** A ring that has been filling for 40 minutes. */
function operationsOf(cluster, query) {
  const seconds = WINDOWS[query.get('window')]
  if (!seconds) throw new Refusal(400, 'invalid-window', 'a window is 5m, 15m or 1h', { place: 'window' })
  const now = Math.floor(Date.now() / 1_000 / STEP) * STEP
  const times = Array.from({ length: seconds / STEP }, (_, index) => now - seconds + (index + 1) * STEP)
  const values = (base, swing) =>
    times.map((time) => (time < now - 2_400 ? null : wave(time / STEP, base, swing)))
  const line = (name, unit, labels, base, swing) => ({ name, unit, labels, values: values(base, swing) })
  return {
    from: new Date((now - seconds) * 1_000).toISOString(),
    to: new Date(now * 1_000).toISOString(),
    step_seconds: STEP,
    times,
    series: [
      ...['events', 'placements', 'requests', 'orders', 'api'].map((of, index) =>
        line('throughput', '1/s', { of }, 320 / (index + 1), 120 / (index + 1)),
      ),
      ...['p50', 'p95'].flatMap((which, late) =>
        ['request', 'queue', 'pass', 'start'].map((stage, index) =>
          line(`latency_${which}`, 's', { stage }, 0.002 * (index + 1) * (1 + 4 * late), 0.0006),
        ),
      ),
      ...['waiting', 'starting', 'running', 'ending'].map((state, index) =>
        line('sessions', 'count', { state }, [14, 3, 120, 1][index], [12, 3, 20, 1][index]),
      ),
      line('oldest_beat', 's', {}, 2, 1),
      line('projection_lag', 'count', {}, 3, 3),
      line('store_bytes', 'bytes', {}, 48 << 20, 1 << 20),
      line('disk_used', 'bytes', {}, 31 * 2 ** 30, 2 ** 28),
      line('of_tomorrow', 'count', {}, 3, 1),
    ],
    // Of the last five minutes: as a server says that was started after its leader.
    leader: {
      id: 'controller-0',
      epoch: 7,
      since: query.get('window') === '5m' ? null : new Date(Date.now() - 7_200_000).toISOString(),
    },
    epochs: [
      { epoch: 7, leader: 'controller-0', since: new Date(Date.now() - 7_200_000).toISOString() },
      { epoch: 6, leader: 'controller-1', since: new Date(Date.now() - 90_000_000).toISOString() },
    ],
    stores: [
      {
        name: 'controller-0',
        role: 'leader',
        position: `${cluster.position}-0`,
        lag_records: 0,
        bytes: 48 << 20,
      },
      {
        name: 'controller-1',
        role: 'follower',
        position: `${cluster.position - 2}-0`,
        lag_records: 2,
        bytes: 48 << 20,
      },
    ],
    disks: [{ name: 'log', used_bytes: 31 * 2 ** 30, total_bytes: 200 * 2 ** 30 }],
    quarantine: { count: 1 },
    agents: [...cluster.tables.agents.values()].map(({ name, state }, index) => ({
      name,
      state,
      last_beat: new Date(Date.now() - 1_200 * (index + 1)).toISOString(),
      beat_age_seconds: index === 1 ? 21.5 : 1.2 * (index + 1),
    })),
  }
}

export function operatorRoutes(on, need, cluster) {
  on('GET', 'usage', ({ query }) => ({ status: 200, body: usageOf(query) }))
  on('GET', 'operations', ({ me, query }) => {
    need(me, ['superadmin', 'monitor'])
    return { status: 200, body: operationsOf(cluster, query) }
  })
  const head = {
    signed: true,
    cluster_id: 'fake',
    key: 'ab'.repeat(32),
    current_key: 'ab'.repeat(32),
    position: '40-0',
    count: 40,
    signature: 'cd'.repeat(64),
    signed_at: new Date(Date.now() - 5_000).toISOString(),
  }
  const audits = []
  on('GET', 'audit/head', () => ({ status: 200, body: head }))
  on('POST', 'audit', ({ me }) => {
    need(me, ['superadmin', 'monitor'])
    audits.push(0)
    return { status: 202, body: { job: String(audits.length) } }
  })
  /** The first is good, the second finds a record that was changed. */
  on('GET', 'audit/([0-9]+)', ({ match }) => {
    const job = Number(match[1])
    const checked = (audits[job - 1] = Math.min(40, audits[job - 1] + 20))
    const ends = checked === 40 ? (job === 1 ? 'good' : 'bad') : 'running'
    const bad = ends === 'bad' && { first_bad: '17-0', code: 'record-damaged', message: 'a hash differs' }
    const body = {
      job: match[1],
      state: ends,
      checked,
      total: 40,
      heads: 4,
      keys: 1,
      first_bad: null,
      code: null,
      message: '',
    }
    return { status: 200, body: { ...body, ...bad } }
  })
}
