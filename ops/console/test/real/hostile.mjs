// A page of an app that wants what is not its own, on a REAL Berth: node test/real/hostile.mjs ORIGIN LINK_TOKEN
// There is an image `hostile` of two apps: `web`, Python's http.server, and `hostile`, which answers every GET with the headers that it
// was asked with, and with all the headers that could reach beyond its origin. Its script /worker.js is a service worker.
// On loopback the console is opened by both of its names: 127.0.0.1, and localhost, below which the apps' names are. Else ORIGIN is
// https://console.test:PORT, and the apps' names are below apps.console.test: a page of an app may set cookies for console.test.
import { PASSWORD, button, field, openBrowser, runSteps, setPassword } from './rig.mjs'
import { statusOfForm } from './form.mjs'
import { openApp, startSession } from './session.mjs'

const [server, token] = process.argv.slice(2)
const { port, hostname } = new URL(server)
const isLocal = hostname === '127.0.0.1'
const browser = await openBrowser(server, {
  direct: true,
  args: isLocal ? [] : ['--host-resolver-rules=MAP *.test 127.0.0.1', '--ignore-certificate-errors'],
})
const CONSOLES = isLocal ? [server, `http://localhost:${port}`] : [server]
/** Of which a page of an app is below: it tries to set cookies for them. */
const ABOVE = isLocal ? ['localhost', '127.0.0.1'] : ['console.test', 'apps.console.test']
const page = await browser.newPage({ ignoreHTTPSErrors: !isLocal })
const context = page.context()

let hostile = null
/** What it is after: the console by both names, and an app beside it, of its own session and of another. */
let prey = {}
let session = ''

function expect(holds, what) {
  if (!holds) throw new Error(what)
}

/** Runs in the hostile page for each address; all of these have to come out as `expected`. */
async function expectAll(what, addresses, attempt, expected) {
  for (const address of addresses) {
    const got = await hostile.evaluate(attempt, address)
    expect(got === expected, `${what} of ${address}: ${got}; expected ${expected}`)
  }
}

const consolePaths = () =>
  CONSOLES.flatMap((origin) =>
    ['/v1/whoami', '/v1/sessions', `/v1/sessions/${session}`, '/v1/watch', '/'].map((path) => origin + path),
  )
const appPaths = () => prey.apps.map((origin) => `${origin}/`)

async function cookiesOf(name) {
  return (await context.cookies()).filter(({ domain }) => domain.replace(/^\./, '') === name)
}

async function signInAt(origin) {
  const one = await context.newPage()
  await one.goto(`${origin}/#/sessions`)
  await field(one, 'User').fill('hugo')
  await one.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await button(one, 'Log in').click()
  return one
}

async function isSignedIn(origin) {
  const one = await context.newPage()
  await one.goto(`${origin}/#/sessions`)
  await one.getByRole('row', { name: /work.*RUNNING/ }).waitFor()
  await one.close()
}

await runSteps(
  {
    async 'a person opens the app from the console, by each of its names'() {
      await setPassword(page, CONSOLES[0], token)
      const start = { environment: 'hostile', cpu: '0.3', ram: '128m' }
      await startSession(page, { name: 'work', ...start })
      await startSession(page, { name: 'other', ...start })
      const webs = []
      for (const name of ['work', 'other']) {
        const web = await openApp(page, name, 'web')
        await web.getByRole('heading', { name: 'Directory listing for /' }).waitFor()
        webs.push(new URL(web.url()).origin)
        await web.close()
      }
      const last = CONSOLES.at(-1)
      const second = last === server ? page : await signInAt(last)
      hostile = await openApp(second, 'work', 'hostile')
      await hostile.getByText('"Host"').waitFor()
      prey = { apps: webs }
      session = /--([0-9a-f]{32})\./.exec(hostile.url())[1]
    },
    async 'the app is asked without what is ours'() {
      const asked = JSON.parse(await hostile.locator('body').innerText())
      const names = Object.keys(asked).map((name) => name.toLowerCase())
      for (const name of ['authorization', 'x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip'])
        expect(!names.includes(name), `it is told ${name}`)
      expect(!/berth/i.test(JSON.stringify(asked)), `it is told ${JSON.stringify(asked)}`)
      expect(!/berth/.test(await hostile.evaluate(() => document.cookie)), 'its scripts read our cookie')
      const kept = await cookiesOf(new URL(hostile.url()).hostname)
      const ours = kept.filter(({ name }) => /berth/.test(name))
      expect(ours.length === 1 && ours[0].httpOnly && ours[0].sameSite === 'Lax', 'our cookie is another')
      expect(!new URL(hostile.url()).search, 'there is something in its address')
      const own = await hostile.evaluate(async () => (await fetch('/own', { credentials: 'include' })).status)
      expect(own === 200, `its own origin answers it ${own}`)
    },
    async 'what it fetches with credentials is neither answered nor read'() {
      const status = (init) =>
        `async (url) => fetch(url, ${init}).then((reply) => reply.type + reply.status, () => 'refused')`
      const paths = [...consolePaths(), ...appPaths()]
      for (const init of [
        "{ credentials: 'include' }",
        "{ credentials: 'include', method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }",
        "{ credentials: 'include', method: 'DELETE' }",
      ])
        await expectAll(`fetch ${init}`, paths, new Function(`return ${status(init)}`)(), 'refused')
      // Without an answer that it could read: what counts is that the server does not take it for the person's.
      const answers = []
      const listen = (reply) => answers.push([reply.status(), reply.url()])
      hostile.on('response', listen)
      await expectAll(
        'fetch no-cors',
        paths,
        (url) =>
          fetch(url, { credentials: 'include', mode: 'no-cors' }).then(
            ({ type }) => type,
            () => 'opaque',
          ),
        'opaque',
      )
      await expectAll(
        'POST no-cors',
        [...CONSOLES.map((origin) => `${origin}/v1/sessions/terminate`), ...appPaths()],
        (url) =>
          fetch(url, { credentials: 'include', mode: 'no-cors', method: 'POST', body: '{}' }).then(
            ({ type }) => type,
            () => 'opaque',
          ),
        'opaque',
      )
      hostile.off('response', listen)
      const taken = answers.filter(
        ([code, url]) => code < 400 && !CONSOLES.some((origin) => url === `${origin}/`),
      )
      expect(answers.length >= paths.length, `only ${answers.length} answers were seen`)
      expect(taken.length === 0, `answered: ${taken.join('; ')}`)
    },
    async 'parts of the console and of another app are no pictures, scripts or frames of it'() {
      const load = (kind) =>
        new Function(
          `return (url) => new Promise((resolve) => {
             const one = document.createElement('${kind}')
             one.onload = () => resolve('loaded')
             one.onerror = () => resolve('refused')
             one.src = url
             document.body.append(one)
           })`,
        )()
      for (const kind of ['img', 'script'])
        await expectAll(kind, [...consolePaths().slice(0, 3), ...appPaths()], load(kind), 'refused')
      for (const url of [...CONSOLES.map((origin) => `${origin}/`), ...appPaths()]) {
        await hostile.evaluate((src) => {
          const frame = document.createElement('iframe')
          frame.src = src
          return new Promise((resolve) => {
            frame.onload = resolve
            document.body.append(frame)
          })
        }, url)
        const shown = hostile.frames().at(-1)
        const text = await shown
          .locator('body')
          .innerText()
          .catch(() => '')
        expect(!/Sessions|Log in|Directory listing/.test(text), `a frame shows ${url}: ${text}`)
        await hostile.evaluate(() => document.querySelector('iframe').remove())
      }
    },
    async 'its forms end, open and start nothing'() {
      const ends = [`{"ids":["${session}"],"forced":true,"reason":"`, 'x"}']
      for (const origin of CONSOLES)
        for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
          for (const path of [
            '/v1/sessions/terminate',
            `/v1/sessions/${session}/apps/web/open`,
            '/v1/logout',
          ]) {
            const status = await statusOfForm(hostile, origin + path, ends, type)
            expect(status >= 400 && status < 500, `a form to ${origin}${path} is answered ${status}`)
          }
      for (const origin of prey.apps)
        for (const path of ['/.berth/open', '/']) {
          const status = await statusOfForm(hostile, origin + path, ['ticket', 'x'])
          expect(status === 403, `a form to ${origin}${path} is answered ${status}`)
        }
    },
    async 'its WebSockets and event streams do not open'() {
      const socket = (url) =>
        new Promise((resolve) => {
          const one = new WebSocket(url.replace(/^http/, 'ws'), 'berth.session.v1')
          one.onopen = () => resolve('open')
          one.onerror = () => resolve('refused')
        })
      const inside = ['shell', 'exec', 'apps/web/connect'].map((way) => `/v1/sessions/${session}/${way}`)
      const ways = CONSOLES.flatMap((origin) => inside.map((path) => origin + path))
      await expectAll('WebSocket', [...ways, ...appPaths()], socket, 'refused')
      const stream = (url) =>
        new Promise((resolve) => {
          const one = new EventSource(url, { withCredentials: true })
          one.onopen = () => resolve('open')
          one.onerror = () => (one.close(), resolve('refused'))
        })
      await expectAll(
        'EventSource',
        CONSOLES.map((origin) => `${origin}/v1/watch`),
        stream,
        'refused',
      )
    },
    async 'it holds no window of the console, neither as one that was opened nor as one that opens'() {
      expect(await hostile.evaluate(() => window.opener === null), 'it knows who opened it')
      for (const url of [...CONSOLES.map((origin) => `${origin}/#/sessions`), ...appPaths()]) {
        const [opened] = await Promise.all([
          context.waitForEvent('page'),
          hostile.evaluate((address) => void (window.held = window.open(address)), url),
        ])
        await opened.waitForLoadState()
        const read = await hostile.evaluate(() => {
          try {
            return window.held.document.body.innerText
          } catch (error) {
            return error.name
          }
        })
        expect(read === 'SecurityError' || read === 'TypeError', `it reads ${url}: ${read}`)
        if (CONSOLES.some((origin) => url.startsWith(origin))) {
          await opened.getByRole('row', { name: /work.*RUNNING/ }).waitFor()
          expect(await hostile.evaluate(() => window.held.closed), `it holds the console's window of ${url}`)
          expect(await opened.evaluate(() => window.opener === null), `the console knows who opened ${url}`)
        }
        await opened.close()
      }
    },
    async 'a service worker of it is of its own origin, and of the folder that it came from'() {
      const register = ([url, scope]) =>
        navigator.serviceWorker.register(url, { scope }).then(
          () => 'registered',
          (error) => error.name,
        )
      const wider = await hostile.evaluate(register, ['/deep/worker.js', '/'])
      expect(wider === 'SecurityError', `a worker beyond its folder: ${wider}`)
      for (const origin of [...CONSOLES, ...prey.apps]) {
        const of = await hostile.evaluate(register, [`${origin}/worker.js`, `${origin}/`])
        expect(of === 'SecurityError', `a worker for ${origin}: ${of}`)
        const scope = await hostile.evaluate(register, ['/worker.js', `${origin}/`])
        expect(scope === 'SecurityError', `a worker over ${origin}: ${scope}`)
      }
      const own = await hostile.evaluate(register, ['/worker.js', '/'])
      expect(own === 'registered', `a worker of its own: ${own}`)
      await hostile.evaluate(() => navigator.serviceWorker.ready)
      for (const origin of CONSOLES) await isSignedIn(origin)
    },
    async 'the cookies that it plants are taken by nobody, and its headers have no say over others'() {
      const planted = (await cookiesOf(new URL(hostile.url()).hostname)).map(({ name }) => name)
      expect(planted.includes('own'), 'it may not set cookies of its own')
      for (const name of ['of-domain', '__Host-berth_planted'])
        expect(!planted.includes(name), `${name} is set`)
      const own = new URL(hostile.url()).hostname
      const ours = (await context.cookies()).map(({ name }) => name).filter((name) => /berth/.test(name))
      const names = [...new Set([...ours, ...ours.map((name) => name.replace('__Host-', ''))])]
      await hostile.evaluate(
        ([all, domains]) => {
          for (const name of all)
            for (const domain of domains)
              for (const path of ['/', '/v1', '/v1/sessions', '/.berth'])
                for (const secure of ['', '; Secure'])
                  document.cookie = `${name}=planted; Path=${path}${secure}${domain && `; Domain=${domain}`}`
          return document.cookie // read behind the writes: the browser has taken or refused each by then
        },
        [names, ['', own, ...ABOVE]],
      )
      const beyond = (await context.cookies()).filter(
        ({ domain, value }) => value === 'planted' && domain.replace(/^\./, '') !== own,
      )
      const told = beyond.map(({ name, domain }) => `${name} of ${domain}`).join(', ')
      if (isLocal) expect(beyond.length === 0, `planted beyond its origin: ${told}`)
      else expect(beyond.length > 0 && !told.includes('__Host-'), `planted beyond its origin: ${told}`)
      for (const origin of CONSOLES) await isSignedIn(origin)
      const web = await openApp(page, 'work', 'web')
      await web.getByRole('heading', { name: 'Directory listing for /' }).waitFor()
      await web.close()
      const again = await openApp(page, 'work', 'hostile')
      await again.waitForURL(/^https?:\/\/hostile--/)
      await again.getByText(/"Host"|of the worker/).waitFor()
      await again.close()
    },
    async 'after all that both sessions run, and nothing else was asked for'() {
      await page.reload()
      for (const name of ['work', 'other'])
        await page.getByRole('row', { name: new RegExp(`${name}.*RUNNING`) }).waitFor()
      expect(
        (await page.getByRole('button', { name: /^Terminate / }).count()) === 2,
        'there are other sessions',
      )
    },
  },
  browser,
)
