// Who may sign in at this frontend, and which of Berth's users each of them is. A file of this frontend's own: Berth knows the
// owners alone, and this producer's scope says which.
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

export interface Person {
  name: string
  owner: string // Berth's user
  salt: string
  hash: string // scrypt of the password
}

const hashOf = (password: string, salt: string) => scryptSync(password, salt, 32)
const NOBODY: Person = { name: '', owner: '', salt: 'nobody', hash: hashOf('nobody', 'nobody').toString('hex') }

export class People {
  private readonly byName = new Map<string, Person>()

  constructor(private readonly path: string) {
    const listed = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Person[]) : []
    for (const person of listed) this.byName.set(person.name, person)
  }

  /** The person of that name and password. Takes as long for a name that nobody has. */
  signIn(name: string, password: string): Person | undefined {
    const known = this.byName.get(name)
    const person = known ?? NOBODY
    const right = timingSafeEqual(hashOf(password, person.salt), Buffer.from(person.hash, 'hex'))
    return right && known ? known : undefined
  }

  add(name: string, owner: string, password: string): void {
    const salt = randomBytes(16).toString('hex')
    this.byName.set(name, { name, owner, salt, hash: hashOf(password, salt).toString('hex') })
    writeFileSync(this.path + '.new', JSON.stringify([...this.byName.values()], null, 2) + '\n', { mode: 0o600 })
    renameSync(this.path + '.new', this.path)
  }
}

/** Who is signed in, by the secret of their cookie. A restart signs everybody out. */
export class Visits {
  private readonly visits = new Map<string, { person: Person; until: number }>()

  constructor(
    private readonly lifeMs = 12 * 3_600_000,
    private readonly most = 10_000,
  ) {}

  begin(person: Person): string {
    const now = Date.now()
    for (const [id, visit] of this.visits) if (visit.until < now || this.visits.size >= this.most) this.visits.delete(id)
    const id = randomBytes(32).toString('base64url')
    this.visits.set(id, { person, until: now + this.lifeMs })
    return id
  }

  find(id: string): Person | undefined {
    const visit = this.visits.get(id)
    return visit && visit.until > Date.now() ? visit.person : undefined
  }

  end(id: string): void {
    this.visits.delete(id)
  }
}
