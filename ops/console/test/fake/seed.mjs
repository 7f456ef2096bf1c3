// What the FAKE cluster begins with: `--empty` is one without agents, `--rows N` adds N sessions.
import { randomUUID } from 'node:crypto'
import { FIRST } from './routes.mjs'

const APPS = [
  { name: 'jupyter', title: 'Jupyter Notebook', protocol: 'http', port: 8888 },
  { name: 'jupyterlab', title: 'JupyterLab', protocol: 'http', port: 8889 },
  { name: 'tensorboard', title: 'TensorBoard', protocol: 'http', port: 6006 },
  { name: 'report', title: 'Report', protocol: 'preopen', port: 5000 },
  { name: 'scheduler', title: 'Scheduler', protocol: 'tcp', port: 8786 },
]

export function seed(cluster, people, folders, { empty = false, rows = 0 } = {}) {
  for (const [name, kind, quantum] of [
    ['cpu', 'count', '0.000001'],
    ['mem', 'bytes', '1'],
    ['cuda.shares', 'count', '0.1'],
  ])
    cluster.put('slots', name, { name, kind, quantum })
  const devices = { 'cuda.shares': { spread: 'even', quantum: '0.1', allow_fragments: false } }
  for (const name of ['default', 'gpu-large']) cluster.put('groups', name, { name, ...FIRST.groups, devices })
  for (const reference of ['python:3.11', 'python:3.12', 'pytorch:2.6'])
    cluster.put('images', reference, {
      reference,
      source: `oci:/images/${reference}`,
      digest: `sha256:${'0123456789abcdef'.repeat(4)}`,
      architecture: 'x86_64',
      labels: {},
      apps: [],
      building: null,
      build_failed: null,
    })
  cluster.put('images', 'python:3.12', { ...cluster.tables.images.get('python:3.12'), apps: APPS })
  cluster.put('images', 'pytorch:2.6', {
    ...cluster.tables.images.get('pytorch:2.6'),
    apps: APPS.slice(0, 1),
    memory_min: String(2 ** 31),
    memory_recommended: String(2 ** 32),
  })
  cluster.put('presets', 'small', { name: 'small', resources: { cpu: '1', mem: '1073741824' }, shm: null })
  cluster.put('presets', 'gpu-half', {
    name: 'gpu-half',
    resources: { cpu: '2', mem: '4294967296', 'cuda.shares': '0.5' },
    shm: null,
  })
  cluster.put('domains', 'default', {
    name: 'default',
    display_name: 'Default',
    users: 3,
    projects: 2,
    sessions: 0,
  })
  for (const name of ['default', 'vision'])
    cluster.put('projects', `default/${name}`, {
      domain: 'default',
      name,
      display_name: '',
      members: [{ user: 'alice', admin: name === 'vision' }],
      sessions: 0,
    })
  people.add({ name: 'admin', role: 'superadmin', display_name: 'Administrator' })
  people.add({ name: 'alice', display_name: 'Alice Kim', projects: ['default', 'vision'] })
  people.add({ name: 'watcher', role: 'monitor', projects: [] })
  people.setPassword('alice', 'alice-secret')
  people.setPassword('watcher', 'watcher-secret')
  people.makeLink('admin', 'first-start')
  cluster.put('limits', 'user/alice', {
    scope: 'user',
    id: 'alice',
    slots: { cpu: '8', mem: '17179869184' },
    unlisted: 'unlimited',
    sessions: 5,
    system_sessions: null,
    pending: 20,
    pending_slots: {},
    kernels_per_session: null,
    priority: null,
    using: {
      slots: { cpu: '4', mem: '4294967296' },
      sessions: 2,
      system_sessions: 0,
      pending: 0,
      pending_slots: {},
    },
  })
  cluster.put('keys', 'BK00FAKE', {
    id: 'BK00FAKE',
    user: 'admin',
    name: 'laptop',
    active: true,
    read_only: false,
    created_at: new Date().toISOString(),
    used_at: null,
    expires_at: new Date(Date.now() + 90 * 86_400_000).toISOString(),
  })
  if (empty) return
  seedFolders(folders)
  cluster.addAgent('a1', { cpu: '8', mem: '32g' }, [
    { id: 'gpu0', slots: { 'cuda.shares': '1' } },
    { id: 'gpu1', slots: { 'cuda.shares': '1' } },
  ])
  cluster.addAgent('a2', { cpu: '16', mem: '64g' }, [])
  cluster.addAgent(
    'b1',
    { cpu: '64', mem: '512g' },
    ['gpu0', 'gpu1', 'gpu2', 'gpu3'].map((id) => ({ id, slots: { 'cuda.shares': '2' } })),
    'gpu-large',
  )
  const alice = { domain: 'default', project: 'vision', user: 'alice' }
  cluster.accept(
    cluster.create(
      {
        name: 'train',
        image: 'pytorch:2.6',
        group: 'gpu-large',
        count: 3,
        resources: { cpu: '4', mem: '16g', 'cuda.shares': '1.5' },
        command: ['python3', 'train.py', '--epochs', '10'],
      },
      alice,
    ),
    'alice',
  )
  cluster.accept(
    cluster.create({ name: 'notebook', image: 'python:3.12', resources: { cpu: '2', mem: '4g' } }, alice),
    'alice',
  )
  addRows(cluster, rows)
}

function seedFolders(folders) {
  folders.addVolume('local', ['a1'])
  const ofAlice = { domain: 'default', user: 'alice' }
  const ofAdmin = { domain: 'default', user: 'admin' }
  const data = folders.add(ofAlice, 'data', { shares: [{ user: 'admin', access: 'read' }] })
  folders.put(data, 'readme.txt', 'what is here')
  const models = folders.add(ofAdmin, 'models', {
    shares: [
      { user: 'alice', access: 'write' },
      { project: 'default/vision', access: 'read' },
    ],
  })
  folders.put(models, 'weights.bin', Buffer.alloc(3 << 20, 7))
  folders.put(models, 'notes.txt', 'one\ntwo\n')
  models.files.set('runs', { type: 'folder', bytes: Buffer.alloc(0), modified_at: models.created_at })
  folders.put(models, 'runs/first.log', 'epoch 1\n')
  models.files.set('socket', { type: 'other', bytes: Buffer.alloc(0), modified_at: models.created_at })
  folders.add({ domain: 'default', project: 'vision' }, 'shared-set')
  folders.add(ofAdmin, 'too-large', {
    state: 'FAILED',
    code: 'volume-full',
    message: 'the volume local has no room left',
  })
  folders.add(ofAdmin, 'old', {
    state: 'TRASHED',
    purge_at: new Date(Date.now() + 6 * 86_400_000).toISOString(),
  })
}

/** Rows as they are, of no agent's: for scrolling. */
function addRows(cluster, rows) {
  const owner = { domain: 'default', project: 'default', user: 'bulk' }
  for (let index = 0; index < rows; index++) {
    const session = cluster.newSession(
      { image: 'python:3.11', group: 'gpu-large', resources: { cpu: '1', mem: '256m' } },
      owner,
      `bulk-${index}`,
      randomUUID(),
    )
    cluster.tables.sessions.set(session.id, {
      ...session,
      status: 'RUNNING',
      reason: null,
      agents: ['b1'],
      running_at: session.created_at,
    })
  }
}
