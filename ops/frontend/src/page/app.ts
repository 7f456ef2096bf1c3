// The page: a form that launches, and a table that is kept up to date. Whatever comes from others is set as text, never as
// markup, and the page's policy lets no other script run.

interface Row {
  id: string
  name: string
  status: string
  reason: string
  image: string
}

function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`)
  return found
}

const trouble = element('trouble', HTMLParagraphElement)
const login = element('login', HTMLFormElement)
const launch = element('launch', HTMLFormElement)
const inside = element('inside', HTMLElement)
const rows = element('rows', HTMLTableSectionElement)
const none = element('none', HTMLParagraphElement)
const shown = new Map<string, HTMLTableRowElement>()
let live: EventSource | undefined

function say(text: string): void {
  trouble.textContent = text
  trouble.hidden = text === ''
}

async function ask(method: string, path: string, body?: unknown): Promise<Record<string, string>> {
  const reply = await fetch(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  const said = (await reply.json().catch(() => ({}))) as Record<string, string>
  if (reply.status === 401) signedOut()
  if (!reply.ok) throw new Error(said['error'] ?? `the server says ${reply.status}`)
  return said
}

const fieldsOf = (form: HTMLFormElement) => Object.fromEntries(new FormData(form).entries())

function put(row: Row): void {
  const line = document.createElement('tr')
  line.dataset['status'] = row.status
  for (const text of [row.name, row.status, row.image, row.reason]) line.insertCell().textContent = text
  const end = document.createElement('button')
  end.type = 'button'
  end.textContent = 'End'
  end.setAttribute('aria-label', `End ${row.name}`)
  end.addEventListener('click', () => {
    ask('DELETE', `/sessions/${encodeURIComponent(row.id)}`).catch((error: Error) => say(error.message))
  })
  line.insertCell().append(end)
  const before = shown.get(row.id)
  if (before) before.replaceWith(line)
  else rows.append(line)
  shown.set(row.id, line)
  none.hidden = true
}

function gone(id: string): void {
  shown.get(id)?.remove()
  shown.delete(id)
  none.hidden = shown.size > 0
}

function watch(): void {
  live?.close()
  live = new EventSource('/live')
  const on = <T>(event: string, take: (data: T) => void) =>
    live?.addEventListener(event, (frame) => take(JSON.parse((frame as MessageEvent<string>).data) as T))
  on<Row[]>('all', (all) => {
    for (const id of [...shown.keys()]) gone(id)
    for (const row of all) put(row)
    none.hidden = shown.size > 0
    say('')
  })
  on<Row>('put', put)
  on<{ id: string }>('gone', ({ id }) => gone(id))
  on<string>('trouble', say)
}

function signedOut(): void {
  live?.close()
  for (const id of [...shown.keys()]) gone(id)
  inside.hidden = true
  login.hidden = false
}

function signedIn(name: string): void {
  element('who', HTMLElement).textContent = name
  login.hidden = true
  inside.hidden = false
  watch()
}

// A launch keeps its id until it is answered, so that pressing the button again after a cut launches once.
let id = crypto.randomUUID()

login.addEventListener('submit', (event) => {
  event.preventDefault()
  ask('POST', '/login', fieldsOf(login)).then(
    (me) => {
      login.reset()
      say('')
      signedIn(me['name'] ?? '')
    },
    (error: Error) => say(error.message),
  )
})
launch.addEventListener('submit', (event) => {
  event.preventDefault()
  ask('POST', '/sessions', { ...fieldsOf(launch), id }).then(
    () => {
      id = crypto.randomUUID()
      say('')
    },
    (error: Error) => {
      if (!(error instanceof TypeError)) id = crypto.randomUUID() // it was answered
      say(error.message)
    },
  )
})
element('logout', HTMLButtonElement).addEventListener('click', () => {
  ask('POST', '/logout').then(signedOut, (error: Error) => say(error.message))
})
ask('GET', '/me').then(
  (me) => signedIn(me['name'] ?? ''),
  () => signedOut(),
)
