// The FAKE server's producers: it knows their tokens' hashes, and gives no keys.
import { Refusal } from './cluster.mjs'

const NAME = '([^/]+)'

export class Producers {
  rows = new Map()
  hashes = new Map()

  list = () => [...this.rows.values()]

  find(name) {
    const found = this.rows.get(name)
    if (!found) throw new Refusal(404, 'unknown-producer', `there is no producer ${name}`)
    return found
  }

  add(me, { name, token_hash, expires_at, ...scope }) {
    if (this.rows.has(name))
      throw new Refusal(409, 'name-in-use', `there is a producer ${name}`, { place: 'name' })
    this.check(scope)
    const producer = {
      name,
      display_name: '',
      generation: 1,
      disabled: false,
      created_at: new Date().toISOString(),
      made_by: me.user,
      token_expires_at: expires_at,
      ...scope,
    }
    return this.open(producer, token_hash)
  }

  check({ requests = [] }) {
    const odd = requests.find((one) => !/^[a-z_]+$/.test(one))
    if (odd) throw new Refusal(400, 'unknown-request', `${odd} is no kind of request`, { place: 'requests' })
  }

  change(name, changes) {
    this.check(changes)
    this.rows.set(name, { ...this.find(name), ...changes })
    return this.rows.get(name)
  }

  revoke(name) {
    this.rows.delete(this.find(name).name)
  }

  rotate(name, { token_hash, expires_at }) {
    const known = this.find(name)
    return this.open({ ...known, generation: known.generation + 1, token_expires_at: expires_at }, token_hash)
  }

  open(producer, hash) {
    if (!/^[0-9a-f]{32}$/.test(hash)) throw new Refusal(400, 'invalid-token', 'a hash has 32 hex digits')
    this.rows.set(producer.name, producer)
    this.hashes.set(producer.name, hash)
    return producer
  }
}

export function producerRoutes(on, need, cluster, producers) {
  on('GET', 'producers', ({ me }) => {
    need(me, ['superadmin', 'monitor'])
    return { status: 200, body: { producers: producers.list(), next_page_token: null } }
  })
  const act = (method, path, status, answer) =>
    on(method, path, (call) => {
      need(call.me, ['superadmin'])
      return { status, body: { producer: answer(call), position: cluster.position } }
    })
  act('POST', 'producers', 201, ({ me, body }) => producers.add(me, body))
  act('PATCH', `producers/${NAME}`, 200, ({ match, body }) => producers.change(match[1], body))
  act('POST', `producers/${NAME}/rotate`, 200, ({ match, body }) => producers.rotate(match[1], body))
  act('DELETE', `producers/${NAME}`, 200, ({ match }) => producers.revoke(match[1]))
}
