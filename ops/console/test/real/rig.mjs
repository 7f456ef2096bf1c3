// What the walks through a REAL Berth share: a browser that reaches the server through a proxy of this script, which sees the
// answer to every request (the pages', the shared worker's, the streams'), and keeps faults; steps that are told one a line.
import { createServer, request as ask } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { launchChromium } from '../chromium.mjs'
import { reasonOf } from '../reason.mjs'

export const PASSWORD = 'a long enough secret'

/** Nobody is signed in yet when a page is first opened; a forecast is asked for while its own session takes the name; what is lost
 * with a session is asked for while it ends. */
const isExpected = ({ method, url, status }) =>
  (status === 401 && method === 'GET' && url === '/v1/whoami') ||
  (status === 409 && method === 'POST' && url === '/v1/sessions?dry_run=true') ||
  (status === 409 && method === 'GET' && url.endsWith('/losses'))

/** `network`: what the browser has of it. While it is cut, there are no connections, and none are made. */
function startProxy(port, listen, faults, network) {
  const proxy = createServer((asked, reply) => {
    const { method, url, headers } = asked
    network.onRequest({ method, url })
    if (network.isCut) return asked.destroy()
    const upstream = ask({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      const status = answer.statusCode
      if (status >= 400 && !isExpected({ method, url, status })) faults.push(`${status} for ${method} ${url}`)
      reply.writeHead(status, answer.headers)
      answer.pipe(reply)
    })
    upstream.on('error', () => reply.destroy())
    reply.on('close', () => upstream.destroy())
    asked.pipe(upstream)
  })
  const open = new Set()
  proxy.on('connection', (client) => {
    if (network.isCut) return client.destroy()
    open.add(client)
    client.on('close', () => open.delete(client))
  })
  proxy.on('upgrade', (asked, client, head) => tunnel(port, asked, client, head))
  network.cut = () => {
    network.isCut = true
    open.forEach((client) => client.destroy())
  }
  return new Promise((resolve) => proxy.listen(listen, '127.0.0.1', () => resolve(proxy)))
}

/** A WebSocket, byte for byte. */
function tunnel(port, { method, url, rawHeaders }, client, head) {
  const upstream = connect(port, '127.0.0.1')
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
  upstream.write(head)
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ]) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}

/** `server`: its address; it has the port above it as another name of its own. `direct`: the browser goes to the server itself. `args`: of Chromium. */
export async function openBrowser(server, { direct = false, args = [] } = {}) {
  const port = Number(new URL(server).port)
  const faults = []
  const network = { isCut: false, onRequest: () => undefined, mend: () => (network.isCut = false) }
  const proxy = await startProxy(port, port + 1, faults, network)
  const browser = await launchChromium([
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
    ...args,
  ])
  const pages = []
  const newPage = async (options = {}) => {
    const context = await browser.newContext({ locale: 'en', ...options })
    context.on('page', (one) => pages.push(one))
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    page.on('console', (message) => {
      // The answers themselves are seen by the proxy.
      const isAnswer = /^Failed to load resource|^WebSocket connection to .* failed/.test(message.text())
      if (message.type() === 'error' && !isAnswer) faults.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
    return page
  }
  const close = async () => {
    await browser.close()
    proxy.closeAllConnections()
    proxy.close()
  }
  /** One picture a page that is open: what they showed when a step failed. */
  const takePictures = async (path) => {
    const open = pages.filter((page) => !page.isClosed())
    for (const [index, page] of open.entries())
      await page.screenshot({ path: path.replace('.png', `-${index}.png`) }).catch(() => undefined)
  }
  const origin = direct ? server : `http://127.0.0.1:${port + 1}`
  return { origin, newPage, faults, network, takePictures, close }
}

export const button = (page, name) => page.getByRole('button', { name, exact: true })
export const field = (page, name) => page.getByRole('textbox', { name, exact: true })

let told = null

/** Whoever started the script does what the line says, to what it names. What was refused meanwhile is no fault. */
export async function askFor(browser, line) {
  told ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  console.log(line)
  await told.next()
  browser.faults.length = 0
}

/** Kills the server and starts it again. */
export const restartServer = (browser) => askFor(browser, 'restart')

/** START, with the image that all these walks are tried with, where there are images. */
export async function beginLaunch(page, environment = 'python') {
  await button(page, 'START').click()
  await field(page, 'Name').waitFor()
  const environments = page.getByRole('combobox', { name: 'Environment', exact: true })
  const names = await environments.locator('option').allTextContents()
  if (names.includes(environment)) await environments.selectOption(environment)
}

/** LAUNCH without a folder: it is asked whether that is meant. */
export async function launchWithoutFolder(page) {
  await button(page, 'LAUNCH').click()
  await button(page, 'LAUNCH WITHOUT STORAGE FOLDER').click()
}

/**
 * The dialog of START has a Close of its own: whoever is quick closes that, and the session opens afterwards.
 * `asked`: no folder is mounted.
 */
export async function pressLaunch(page, { asked = true } = {}) {
  if (asked) await launchWithoutFolder(page)
  else await button(page, 'LAUNCH').click()
  await page.getByRole('dialog').getByRole('tab', { name: 'Logs', exact: true }).waitFor()
  await button(page, 'Close').click()
}

export async function setPassword(page, origin, token) {
  await page.goto(`${origin}/#/link/${token}`)
  await field(page, 'New password').fill(PASSWORD)
  await button(page, 'Set password and log in').click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
}

/**
 * Runs steps one after the other, tells each by a line, and ends the script: with 1 at the first that fails.
 * $BERTH_PICTURES: a folder for a picture of each page after each step.
 */
export async function runSteps(steps, browser) {
  const pictures = process.env.BERTH_PICTURES
  for (const [at, [name, step]] of Object.entries(steps).entries()) {
    const begin = Date.now()
    try {
      const told = await step()
      if (pictures) await browser.takePictures(`${pictures}/step-${at + 1}.png`)
      if (browser.faults.length > 0) throw new Error('faults')
      console.log(`ok ${name}${told ? `: ${told}` : ''} (${((Date.now() - begin) / 1000).toFixed(1)} s)`)
    } catch (error) {
      await browser.takePictures(process.env.BERTH_SCREENSHOT ?? 'failed.png')
      console.log(`NO ${name}: ${[reasonOf(error), ...browser.faults].join('\n')}`)
      process.exit(1)
    }
  }
  await browser.close()
  process.exit(0)
}
