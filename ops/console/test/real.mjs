// Goes through the console of a REAL Berth in Chromium: node test/real.mjs ORIGIN LINK_TOKEN
// The server has one mock GPU of two shares, an image python:3.11 and no password yet. The browser reaches it through a
// proxy of this script, so that the network can be cut. Whoever starts the script kills and restarts the server: it asks for
// that by a line `restart` on stdout and waits for a line on stdin. Prints a line a step; exit 1 at the first that fails.
import { createServer, connect } from 'node:net'
import { createInterface } from 'node:readline'
import { launchChromium } from './chromium.mjs'

const [server, token] = process.argv.slice(2)
const { port } = new URL(server)
const PASSWORD = 'a long enough secret'
const told = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const faults = []

/** What a network is: connections that can be cut, and none while it is down. */
async function startProxy(listen) {
  const open = new Set()
  let down = false
  const proxy = createServer((client) => {
    if (down) return client.destroy()
    const upstream = connect(Number(port), '127.0.0.1')
    open.add(client).add(upstream)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      from.on('error', () => to.destroy())
      from.on('close', () => (to.destroy(), open.delete(from)))
      from.pipe(to)
    }
  })
  await new Promise((resolve) => proxy.listen(listen, '127.0.0.1', resolve))
  return {
    cut: () => ((down = true), open.forEach((socket) => socket.destroy())),
    mend: () => (down = false),
    close: () => (open.forEach((socket) => socket.destroy()), proxy.close()),
  }
}

const proxyPort = Number(port) + 1
const origin = `http://127.0.0.1:${proxyPort}`
const network = await startProxy(proxyPort)
const browser = await launchChromium([
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
])

function watchFaults(page) {
  page.setDefaultTimeout(60_000)
  page.on('console', (message) => {
    const provoked = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !provoked) faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
  return page
}

const newPage = async () => watchFaults(await (await browser.newContext({ locale: 'en' })).newPage())
const button = (page, name, exact = true) => page.getByRole('button', { name, exact })
const field = (page, name) => page.getByRole('textbox', { name, exact: true })
const fgpu = (page, used) => page.getByRole('img', { name: `fGPU in default: ${used} / 2` }).waitFor()

async function setPassword(page, linkToken) {
  await page.goto(`${origin}/#/link/${linkToken}`)
  await field(page, 'New password').fill(PASSWORD)
  await button(page, 'Set password', false).click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
}

async function start(page, name, { gpu, sessions }) {
  await button(page, 'START').click()
  await field(page, 'Name').fill(name)
  const environments = page.getByRole('combobox', { name: 'Environment', exact: true })
  if ((await environments.locator('option').allTextContents()).includes('python'))
    await environments.selectOption('python')
  await field(page, 'CPU').fill('0.2')
  await field(page, 'RAM').fill('128m')
  if (gpu) await field(page, 'fGPU').fill(gpu)
  if (sessions) await field(page, 'Sessions').fill(sessions)
  await button(page, 'LAUNCH').click()
  await button(page, 'LAUNCH WITHOUT STORAGE FOLDER').click()
  await page.getByRole('dialog').getByRole('tab', { name: 'Logs', exact: true }).waitFor()
  await button(page, 'Close').click()
}

async function end(page, name) {
  await button(page, `Terminate ${name}`).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Terminate/ })
    .click()
}

const steps = {
  async 'the link sets the first password and signs in'(admin) {
    await setPassword(admin, token)
    await fgpu(admin, 0)
  },
  async 'a session rises in the indicator with what was asked, and falls with its end'(admin) {
    await start(admin, 'half', { gpu: '0.5' })
    await admin.getByRole('row', { name: /half.*RUNNING.*0\.2 CPU.*128 MiB.*0\.5 fGPU/ }).waitFor()
    await fgpu(admin, 0.5)
    await end(admin, 'half')
    await fgpu(admin, 0)
  },
  async 'of three two run, the third says why it waits, and starts when one ends'(admin) {
    await start(admin, 'many', { gpu: '1', sessions: '3' })
    await fgpu(admin, 2)
    await button(admin, 'many × 3').click()
    await admin.getByRole('row', { name: /many-3.*PENDING/ }).waitFor()
    await end(admin, 'many-1')
    await admin.getByRole('row', { name: /many-3.*RUNNING/ }).waitFor()
    await fgpu(admin, 2)
  },
  async 'a second user sees only their own, the superadmin all'(admin) {
    await admin.getByRole('link', { name: 'Admin', exact: true }).click()
    await button(admin, 'Add user').click()
    await field(admin, 'Name').fill('bob')
    await button(admin, 'Add').click()
    await admin.getByRole('heading', { name: 'Login link for bob' }).waitFor()
    const link = /#\/link\/([\w-]+)/.exec(await admin.getByRole('dialog').innerHTML())
    await button(admin, 'I have saved it').click()
    const bob = await newPage()
    await setPassword(bob, link[1])
    await start(bob, 'of-bob', {})
    await bob.getByRole('row', { name: /of-bob.*RUNNING/ }).waitFor()
    if ((await bob.getByText('many').count()) > 0) throw new Error('bob sees what is not his')
    await admin.getByRole('link', { name: 'Sessions' }).click()
    await admin.getByRole('row', { name: /of-bob.*RUNNING/ }).waitFor()
    await bob.context().close()
  },
  async 'eight tabs are live'(admin) {
    const tabs = []
    for (let count = 0; count < 7; count++) {
      tabs.push(watchFaults(await admin.context().newPage()))
      await tabs.at(-1).goto(`${origin}/#/sessions`)
    }
    await end(admin, 'of-bob')
    for (const tab of tabs) {
      await tab.getByRole('heading', { name: 'Sessions' }).waitFor()
      await tab.getByRole('link', { name: 'of-bob', exact: true }).waitFor({ state: 'detached' })
      await tab.close()
    }
  },
  async 'the network is cut and comes back: nothing is missed'(admin) {
    network.cut()
    await admin.getByText('The connection to the server is lost').waitFor()
    network.mend()
    await admin.getByText('The connection to the server is lost').waitFor({ state: 'detached' })
    await start(admin, 'after', {})
    await admin.getByRole('row', { name: /after.*RUNNING/ }).waitFor()
  },
  async 'the controller is killed and comes back: still signed in'(admin) {
    console.log('restart')
    await told.next()
    await admin.getByText('The connection to the server is lost').waitFor({ state: 'detached' })
    await admin.reload()
    await admin.getByRole('row', { name: /after.*RUNNING/ }).waitFor()
    await fgpu(admin, 2)
  },
  async 'many are ended at once'(admin) {
    await admin.getByRole('checkbox', { name: /all/i }).first().check()
    await button(admin, 'Terminate', false).first().click()
    await admin
      .getByRole('dialog')
      .getByRole('button', { name: /^Terminate/ })
      .click()
    await fgpu(admin, 0)
  },
}

const admin = await newPage()
for (const [name, step] of Object.entries(steps)) {
  const begin = Date.now()
  try {
    await step(admin)
    if (faults.length > 0) throw new Error(faults.join('; '))
  } catch (error) {
    await admin.screenshot({ path: process.env.BERTH_SCREENSHOT ?? 'failed.png' }).catch(() => undefined)
    console.log(`NO ${name}: ${error.message}`)
    process.exit(1)
  }
  console.log(`ok ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`)
}
await browser.close()
network.close()
process.exit(0)
