// The FAKE cluster's folders: their states, shares and trash, and their files in memory, with uploads in chunks.
import { createHash, randomUUID } from 'node:crypto'
import { Refusal, hasEnded } from './cluster.mjs'

const MOVES_AFTER_MS = 400
const CHUNK_MAX = 8 << 20
const TRASH_MS = 7 * 86_400_000
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const hexId = () => randomUUID().replaceAll('-', '')
const sumOf = (bytes) => createHash('sha256').update(bytes).digest('hex')
const now = () => new Date().toISOString()

export class Folders {
  volumes = new Map()
  rows = new Map()
  uploads = new Map()
  /** How many chunks of uploads were taken. */
  chunks = 0

  constructor(cluster) {
    this.cluster = cluster
  }

  addVolume(name, agents) {
    const volume = { id: hexId(), name, agents, available: agents.length > 0 }
    this.volumes.set(volume.id, volume)
    return volume
  }

  /** READY at once: for what a test begins with. */
  add(owner, name, changes = {}) {
    const [volume] = this.volumes.values()
    const row = {
      id: hexId(),
      name,
      owner,
      volume: { id: volume.id, name: volume.name },
      state: 'READY',
      created_at: now(),
      shares: [],
      files: new Map(),
      ...changes,
    }
    this.rows.set(row.id, row)
    return row
  }

  put(row, path, text) {
    row.files.set(path, { type: 'file', bytes: Buffer.from(text), modified_at: now() })
  }

  accessOf(me, { owner, shares }) {
    const member = (name) =>
      me.projects.find(({ project, domain }) => project === name || `${domain}/${project}` === name)
    if (owner.user === me.user) return 'own'
    if (owner.project && member(owner.project)) return member(owner.project).admin ? 'own' : 'write'
    const given = shares.filter(({ user, project }) => user === me.user || (project && member(project)))
    return given.some(({ access }) => access === 'write') ? 'write' : given.length > 0 ? 'read' : 'none'
  }

  #sees = (me, row) => this.accessOf(me, row) !== 'none' || me.role === 'superadmin' || me.role === 'monitor'

  sessionsOf = (row) =>
    [...this.cluster.tables.sessions.values()].filter(
      (one) => !hasEnded(one) && one.mounts?.some(({ folder }) => folder.id === row.id),
    )

  show(me, row) {
    const { files: _, notUtf8: __, shares, ...shown } = row
    const access = this.accessOf(me, row)
    return {
      ...shown,
      access,
      ...(access === 'own' && { shares }),
      sessions: this.sessionsOf(row).map(({ id, name }) => ({ id, name })),
    }
  }

  list(me, query) {
    const trash = query.get('include') === 'trash'
    return [...this.rows.values()]
      .filter((row) => this.#sees(me, row) && (trash || !['TRASHED', 'PURGING'].includes(row.state)))
      .map((row) => this.show(me, row))
  }

  find(me, name) {
    const seen = [...this.rows.values()].filter((row) => this.#sees(me, row))
    const named = seen.filter((row) => row.name === name && this.accessOf(me, row) !== 'none')
    const row =
      seen.find(({ id }) => id === name) ?? named.find(({ owner }) => owner.user === me.user) ?? named[0]
    if (!row) throw new Refusal(404, 'unknown-folder', `there is no folder ${name}`)
    return row
  }

  #own(me, name, also = []) {
    const row = this.find(me, name)
    if (this.accessOf(me, row) !== 'own' && !also.includes(me.role))
      throw new Refusal(403, 'denied', `folder ${row.name} is not yours to change`)
    return row
  }

  #checkName(owner, name, except) {
    if (!NAME.test(name ?? ''))
      throw new Refusal(422, 'invalid-name', 'a name is letters, digits and . _ -', { place: 'name' })
    const taken = [...this.rows.values()].some(
      (row) =>
        row !== except &&
        row.name === name &&
        !['TRASHED', 'PURGING'].includes(row.state) &&
        JSON.stringify(row.owner) === JSON.stringify(owner),
    )
    if (taken) throw new Refusal(409, 'folder-exists', `there is a folder ${name} already`, { place: 'name' })
  }

  #must(row, ...states) {
    if (!states.includes(row.state))
      throw new Refusal(409, 'folder-not-ready', `folder ${row.name} is ${row.state}`)
  }

  create(me, { name, project, volume }) {
    const owner = { domain: me.domain, ...(project ? { project } : { user: me.user }) }
    this.#checkName(owner, name)
    const usable = [...this.volumes.values()]
    if (!volume && usable.length > 1)
      throw new Refusal(422, 'volume-required', 'there are several volumes: name one', { place: 'volume' })
    const on = usable.find((one) => !volume || one.id === volume || one.name === volume)
    if (!on) throw new Refusal(404, 'unknown-volume', `there is no volume ${volume}`)
    const row = this.add(owner, name, { state: 'CREATING', volume: { id: on.id, name: on.name } })
    setTimeout(() => (row.state = 'READY'), MOVES_AFTER_MS)
    return row
  }

  rename(me, id, { name }) {
    const row = this.#own(me, id)
    this.#must(row, 'READY')
    this.#checkName(row.owner, name, row)
    row.name = name
    return row
  }

  trash(me, id) {
    const row = this.#own(me, id, ['superadmin'])
    const sessions = this.sessionsOf(row)
    if (sessions.length > 0)
      throw new Refusal(
        409,
        'folder-mounted',
        `folder ${row.name} is mounted by ${sessions.map(({ name }) => name).join(', ')}`,
        { hint: 'end these sessions first' },
      )
    this.#must(row, 'READY')
    row.state = 'TRASHED'
    row.purge_at = new Date(Date.now() + TRASH_MS).toISOString()
    return row
  }

  restore(me, id, { name }) {
    const row = this.#own(me, id)
    this.#must(row, 'TRASHED')
    this.#checkName(row.owner, name ?? row.name, row)
    row.name = name ?? row.name
    row.state = 'READY'
    delete row.purge_at
    return row
  }

  purge(me, id) {
    const row = this.#own(me, id, ['superadmin'])
    this.#must(row, 'TRASHED', 'FAILED', 'PURGING')
    row.state = 'PURGING'
    setTimeout(() => this.rows.delete(row.id), MOVES_AFTER_MS)
    return row
  }

  share(me, id, { access, ...named }) {
    const row = this.#own(me, id)
    const { user, project } = named
    const whom = user ? { user } : { project: project.includes('/') ? project : `${me.domain}/${project}` }
    const { users, projects } = this.cluster.tables
    if (whom.user && !users.has(whom.user))
      throw new Refusal(404, 'unknown-user', `there is no user ${whom.user}`, { place: 'user' })
    if (whom.project && !projects.has(whom.project))
      throw new Refusal(404, 'unknown-project', `there is no project ${whom.project}`, { place: 'project' })
    const others = row.shares.filter((one) => one.user !== whom.user || one.project !== whom.project)
    row.shares = access === 'none' ? others : [...others, { ...whom, access }]
    return row
  }

  /** What a session is asked to mount, as it shows it. */
  mounts(me, asked = []) {
    return asked.map(({ folder: name, target, read_only = false }, at) => {
      const row = this.find(me, name)
      const place = `mounts[${at}].folder`
      this.#must(row, 'READY')
      const access = this.accessOf(me, row)
      if (access === 'none') throw new Refusal(403, 'denied', `folder ${name} is not shared with you`)
      if (access === 'read' && !read_only)
        throw new Refusal(409, 'folder-read-only', `folder ${name} may only be read`, { place })
      return { folder: { id: row.id, name: row.name }, target: target ?? row.name, read_only }
    })
  }

  /** The files of a folder that the caller may read, or write to. */
  files(me, id, writes) {
    const row = this.find(me, id)
    this.#must(row, 'READY')
    const access = this.accessOf(me, row)
    if (access === 'none' || (writes && access === 'read'))
      throw new Refusal(403, 'denied', `folder ${row.name} may not be ${writes ? 'changed' : 'read'}`)
    return row.files
  }

  #at(files, path) {
    checkPath(path)
    const found = files.get(path)
    if (!found) throw new Refusal(404, 'unknown-path', `there is no ${path}`)
    return found
  }

  listing(me, id, query) {
    const files = this.files(me, id, false)
    const path = query.get('path') ?? ''
    if (path && this.#at(files, path).type !== 'folder')
      throw new Refusal(409, 'not-a-folder', `${path} is no folder`)
    const prefix = path ? `${path}/` : ''
    const limit = Number(query.get('limit') ?? 1000)
    const names = [...files.keys()]
      .filter((one) => one.startsWith(prefix) && !one.slice(prefix.length).includes('/'))
      .map((one) => one.slice(prefix.length))
      .filter((one) => one > (query.get('after') ?? ''))
      .sort()
    const items = names.slice(0, limit).map((name) => {
      const { type, bytes, modified_at } = files.get(prefix + name)
      return { name, type, bytes: bytes.length, modified_at, mode: type === 'folder' ? '0755' : '0644' }
    })
    return {
      items,
      next: names.length > limit ? items.at(-1).name : null,
      not_utf8: this.find(me, id).notUtf8 ?? 0,
    }
  }

  download(me, id, path) {
    const file = this.#at(this.files(me, id, false), path)
    if (file.type !== 'file') throw new Refusal(409, 'not-a-file', `${path} is no file`)
    return file.bytes
  }

  change(me, id, { op, path, to, recursive }) {
    const files = this.files(me, id, true)
    checkPath(path)
    const inside = [...files.keys()].filter((one) => one.startsWith(`${path}/`))
    if (op === 'mkdir') {
      if (files.has(path)) throw new Refusal(409, 'path-exists', `there is ${path} already`)
      files.set(path, { type: 'folder', bytes: Buffer.alloc(0), modified_at: now() })
      return
    }
    const found = this.#at(files, path)
    if (op === 'remove') {
      if (inside.length > 0 && !recursive)
        throw new Refusal(409, 'folder-not-empty', `${path} holds ${inside.length} files`)
      for (const one of [path, ...inside]) files.delete(one)
      return
    }
    checkPath(to)
    if (files.has(to)) throw new Refusal(409, 'path-exists', `there is ${to} already`)
    for (const one of inside) {
      files.set(to + one.slice(path.length), files.get(one))
      files.delete(one)
    }
    files.set(to, found)
    files.delete(path)
  }

  beginUpload(me, id, { path, bytes, sha256, overwrite }) {
    const files = this.files(me, id, true)
    checkPath(path)
    if (files.has(path) && !overwrite) throw new Refusal(409, 'path-exists', `there is ${path} already`)
    const upload = hexId()
    this.uploads.set(upload, { folder: id, path, bytes, sha256, pieces: [], offset: 0 })
    return { upload, offset: 0 }
  }

  upload(me, id, upload) {
    this.files(me, id, true)
    const found = this.uploads.get(upload)
    if (!found || found.folder !== id) throw new Refusal(404, 'unknown-upload', 'there is no such upload')
    return found
  }

  putChunk(me, id, upload, offset, bytes, sha256) {
    const found = this.upload(me, id, upload)
    if (offset !== found.offset) throw new Refusal(409, 'offset-differs', `the upload is at ${found.offset}`)
    if (bytes.length > CHUNK_MAX) throw new Refusal(413, 'upload-too-large', 'a chunk has at most 8 MiB')
    if (sumOf(bytes) !== sha256) throw new Refusal(422, 'checksum-differs', 'the chunk has another SHA-256')
    found.pieces.push(bytes)
    found.offset += bytes.length
    this.chunks += 1
    return { offset: found.offset }
  }

  finishUpload(me, id, upload) {
    const { path, bytes, sha256, pieces } = this.upload(me, id, upload)
    const whole = Buffer.concat(pieces)
    if (whole.length !== bytes || sumOf(whole) !== sha256)
      throw new Refusal(422, 'checksum-differs', 'the file has another SHA-256')
    this.files(me, id, true).set(path, { type: 'file', bytes: whole, modified_at: now() })
    this.uploads.delete(upload)
    return { name: path.split('/').at(-1), bytes }
  }
}

function checkPath(path) {
  if (!path || path.split('/').some((one) => !one || one === '.' || one === '..' || one.length > 255))
    throw new Refusal(422, 'path-invalid', `${path} is no path`, { place: 'path' })
}
