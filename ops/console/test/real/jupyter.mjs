// The manuals' exercise on a REAL Berth with the image jupyter: node test/real/jupyter.mjs ORIGIN TOLD
// START, the first icon, a notebook whose cell reads the limit that was set, a package that a cell installs, the terminal that shows its file, JupyterLab, TensorBoard;
// what ends with the session, named before; a notebook in a folder that a later session shows; and nothing of it for others.
// TOLD is JSON: login links' tokens for jo, whose sessions these are, otto of the same domain, and admin (superadmin); hasIndex: packages
// can be installed.
import { statusOfForm } from './form.mjs'
import { newNotebook, READS_LIMIT, runCell } from './notebook_page.mjs'
import { button, field, openBrowser, restartServer, runSteps, setPassword } from './rig.mjs'
import { endSession, openApp, openConsole, shows, startSession, typeLine, windowOf } from './session.mjs'

const [server, told] = process.argv.slice(2)
const { hasIndex, ...links } = JSON.parse(told)
const browser = await openBrowser(server, { direct: true })
const page = await browser.newPage()
const dialog = page.getByRole('dialog')
page.setDefaultTimeout(120_000)

const MEMORY = 1_073_741_824
/** Longer than a start of the server takes, and shorter than Jupyter's page waits before it asks again (10 to 30 s). */
const LONG_CELL = `
import time
print('it', 'begins', flush=True)
time.sleep(5)
print('the cell', 'has ended', 6 * 7)`.trim()
/** In a notebook, where pip of this machine reaches an index. */
const INSTALL = `
%pip install --quiet --no-cache-dir --disable-pip-version-check iniconfig
import iniconfig
print('installed', iniconfig.__name__, 6 * 7)`.trim()
const JUPYTER = { environment: 'jupyter', cpu: '0.5', ram: '1g' }

/** Of the first session: its id, and the address of its Notebook. */
let work = ''
let notebooks = ''

/** By the host of one of its apps, which names it by the digits of its id alone. */
const sessionAt = (url) =>
  /--([0-9a-f]{32})\./.exec(url)[1].replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

function expect(holds, what) {
  if (!holds) throw new Error(what)
}

async function withoutPrompt(opened) {
  expect((await opened.getByText(/token|password/i).count()) === 0, 'it asks for a token')
}

/** As Jupyter counts them, in the order in which the kernels were started. */
const windowsOfKernels = (notebook) =>
  notebook.evaluate(async () =>
    (await (await fetch('/api/kernels')).json()).map(({ connections }) => connections),
  )

/**
 * What a cell prints while nobody listens is kept by Jupyter for the only window of its kernel. The tree's is one too until it is closed;
 * and Jupyter was seen to count none for a kernel whose window was open, and to keep nothing then: that is no matter of Berth's, so
 * another notebook is made.
 */
async function notebookThatIsKept() {
  for (let tries = 1; ; tries++) {
    const tree = await openApp(page, 'work', 'Jupyter Notebook')
    const notebook = await newNotebook(tree)
    await runCell(notebook, "print('first', 6 * 7)")
    await notebook.getByText('first 42').waitFor()
    await tree.close()
    const until = Date.now() + 10_000
    let windows = await windowsOfKernels(notebook)
    while (windows.at(-1) !== 1 && Date.now() < until) windows = await windowsOfKernels(notebook)
    if (windows.at(-1) === 1) return notebook
    expect(tries < 3, `Jupyter counts the windows of its kernels as ${windows}`)
    await notebook.close()
  }
}

async function save(notebook) {
  const isSaved = (reply) =>
    reply.request().method() === 'PUT' && reply.url().includes('/api/contents/') && reply.ok()
  await Promise.all([notebook.waitForResponse(isSaved), notebook.keyboard.press('Control+s')])
}

const item = (tree, name) => tree.locator('.jp-DirListing-itemText').getByText(name, { exact: true })

/** A window of somebody else at the address of an app: what it is answered. */
async function statusAt(opened, url) {
  return (await opened.goto(url)).status()
}

/** A WebSocket of the page that is shown, so that it is of the app's own origin. */
const socketOf = (opened, url, protocol) =>
  opened.evaluate(
    ([address, one]) =>
      new Promise((resolve) => {
        const socket = new WebSocket(address.replace(/^http/, 'ws'), one)
        socket.onopen = () => resolve('open')
        socket.onerror = () => resolve('refused')
      }),
    [url, protocol],
  )

/** Through the API, as the console asks it. */
const callOf = (opened, method, path) =>
  opened.evaluate(
    async ([verb, address]) => {
      const { csrf } = await (await fetch('/v1/whoami')).json()
      const headers = {
        'X-Berth-CSRF': csrf,
        'Content-Type': 'application/json',
        'Idempotency-Key': crypto.randomUUID(),
      }
      const reply = await fetch(address, { method: verb, ...(verb !== 'GET' && { headers, body: '{}' }) })
      return { status: reply.status, body: await reply.json() }
    },
    [method, path],
  )

/** By URL, WebSocket and ticket: nothing of jo's session opens in the window of somebody else who is signed in. */
async function opensNothing(opened) {
  for (const path of ['', '/apps', '/shells']) {
    const { status } = await callOf(opened, 'GET', `/v1/sessions/${work}${path}`)
    expect(
      status === 403 || status === 404 || (status === 200 && path === ''),
      `GET ${path} is answered ${status}`,
    )
  }
  const ticket = await callOf(opened, 'POST', `/v1/sessions/${work}/apps/jupyter/open`)
  expect(ticket.status === 403 || ticket.status === 404, `a ticket is answered ${ticket.status}`)
  for (const way of ['shell', 'exec', 'apps/jupyter/start', 'apps/jupyter/connect', 'apps/8888/connect']) {
    const got = await socketOf(opened, `${server}/v1/sessions/${work}/${way}`, 'berth.session.v1')
    expect(got === 'refused', `${way} is ${got}`)
  }
  const status = await statusAt(opened, notebooks)
  expect(status >= 400, `its notebooks are answered ${status}`)
  const socket = await socketOf(opened, new URL('/api/events/subscribe', notebooks).href, [])
  expect(socket === 'refused', `a WebSocket of its notebooks is ${socket}`)
  const saved = await opened.evaluate(
    async () => (await fetch('/api/contents', { method: 'POST', body: '{}' })).status,
  )
  expect(saved >= 400, `a notebook is made: ${saved}`)
  await opened.goto(`${server}/session/${work}/app/jupyter`)
  await opened.getByText(/Only the owner of a session can open its apps|This session was not found/).waitFor()
  await opened.goto(`${server}/#/terminal/${work}`)
  await opened
    .getByText(
      /Only the owner of a session can open its terminal|This session or kernel was not found|Not found/,
    )
    .first()
    .waitFor()
}

await runSteps(
  {
    async 'a session of the image starts with the memory that was asked for'() {
      await setPassword(page, browser.origin, links.jo)
      await button(page, 'START').click()
      await page.getByRole('combobox', { name: 'Environment', exact: true }).selectOption('jupyter')
      await page.getByRole('combobox', { name: 'Version', exact: true }).selectOption('4.6')
      await field(page, 'Name').fill('work')
      await field(page, 'CPU').fill('1')
      await field(page, 'RAM').fill('128m')
      await dialog.getByText('Less than this image needs (576 MiB)').waitFor()
      await field(page, 'RAM').fill('1g')
      await button(page, 'LAUNCH').click()
      await page.getByText('files that you write there are lost once it ends').waitFor()
      await button(page, 'LAUNCH WITHOUT STORAGE FOLDER').click()
      await dialog.getByRole('tab', { name: 'Logs', exact: true }).waitFor()
      await button(page, 'Close').click()
      await page
        .getByRole('row', { name: /work.*RUNNING.*1 CPU.*1 GiB.*jupyter:4\.6/ })
        .waitFor({ timeout: 300_000 })
    },
    async 'Jupyter Notebook opens without a token, and a cell reads the limit'() {
      const begin = Date.now()
      const tree = await openApp(page, 'work', 'Jupyter Notebook')
      const notebook = await newNotebook(tree)
      await withoutPrompt(tree)
      await runCell(notebook, READS_LIMIT)
      await notebook.getByText(`limit ${MEMORY} 42`).waitFor()
      const took = `${((Date.now() - begin) / 1000).toFixed(1)} s from the click to the output`
      notebooks = tree.url()
      work = sessionAt(notebooks)
      await save(notebook)
      await notebook.close()
      await tree.close()
      return took
    },
    async 'a package that a cell installs is imported'() {
      if (!hasIndex) return 'left out: pip of this machine reaches no index'
      const begin = Date.now()
      const notebook = await windowOf(page, () => page.evaluate((url) => open(url), notebooks))
      await item(notebook, 'Untitled.ipynb').waitFor()
      const fresh = await newNotebook(notebook)
      await runCell(fresh, INSTALL)
      await fresh.getByText('installed iniconfig 42').waitFor()
      const took = `${((Date.now() - begin) / 1000).toFixed(1)} s from the tree of files to the output`
      await fresh.close()
      await notebook.close()
      return took
    },
    async "the Console shows the notebook's file"() {
      const terminal = await openConsole(page, 'work')
      await typeLine(terminal, 'id -un; pwd; ls')
      await shows(terminal, 'Untitled.ipynb')
      await terminal.locator('.xterm-rows').getByText('/home/work', { exact: true }).waitFor()
      await terminal.close()
    },
    async 'JupyterLab opens without a token, and runs a cell of the same notebook'() {
      const lab = await openApp(page, 'work', 'JupyterLab')
      await lab.getByRole('tab', { name: 'Launcher' }).waitFor()
      await withoutPrompt(lab)
      await lab.getByText('Untitled.ipynb', { exact: true }).first().dblclick()
      await lab.locator('.jp-CodeCell .cm-content').first().click()
      await lab
        .locator('.jp-Notebook-ExecutionIndicator[data-status=idle]')
        .first()
        .waitFor({ state: 'attached' })
      await lab.keyboard.press('Control+a')
      await lab.keyboard.insertText("print('lab', 40 + 2)")
      await lab.keyboard.press('Control+Enter')
      await lab.getByText('lab 42', { exact: true }).waitFor()
      expect((await lab.getByRole('dialog').count()) === 0, 'it asks something')
      expect((await lab.getByText(/Jupyter news/).count()) === 0, 'it asks whether it may fetch news')
      await lab.close()
    },
    async 'TensorBoard opens'() {
      const board = await openApp(page, 'work', 'TensorBoard')
      await board.getByText('No dashboards are active for the current data set').waitFor()
      await board.close()
    },
    async 'the server is killed while a cell runs and a terminal is open: both are found again as they were'() {
      const terminal = await openConsole(page, 'work')
      await typeLine(terminal, 'KEPT=kept; echo before-the-kill')
      await shows(terminal, /^before-the-kill/)
      const notebook = await notebookThatIsKept()
      await runCell(notebook, LONG_CELL)
      await notebook.getByText('it begins').waitFor()
      await restartServer(browser)
      await terminal.getByText(/^Reconnected/).waitFor()
      await typeLine(terminal, 'echo $KEPT-after-the-kill')
      await shows(terminal, 'kept-after-the-kill')
      await notebook
        .getByText('the cell has ended 42')
        .waitFor()
        .catch(async (error) => {
          throw new Error(`${error.message}; windows of the kernels: ${await windowsOfKernels(notebook)}`)
        })
      await runCell(notebook, "print('and', 'goes on', 6 * 7)")
      await notebook.getByText('and goes on 42').waitFor()
      await notebook.close()
      await terminal.close()
      await page.getByText('The connection to the server is lost').waitFor({ state: 'detached' })
      browser.faults.length = 0
    },
    async 'another person opens none of it, by URL, cookie, ticket or WebSocket'() {
      const otto = await browser.newPage()
      otto.setDefaultTimeout(120_000)
      await setPassword(otto, browser.origin, links.otto)
      await startSession(otto, { name: 'own', ...JUPYTER, cpu: '0.3' })
      expect((await otto.getByText('work', { exact: true }).count()) === 0, "otto sees jo's session")
      const own = await openApp(otto, 'own', 'Jupyter Notebook')
      await own.getByText('New', { exact: true }).first().waitFor()
      const owns = new URL(own.url()).host
      const other = await otto.context().newPage()
      await other.goto(`${server}/session/own/app/jupyter`)
      await other.waitForURL((url) => url.host === owns)
      await other.goto(`${server}/#/sessions`)
      await opensNothing(other)
      // What lets otto into an app of their own opens no other.
      const ours = (await otto.context().cookies()).find(
        ({ name, domain }) => name === 'berth_app' && owns.startsWith(domain),
      )
      await otto.context().addCookies([{ ...ours, domain: new URL(notebooks).hostname }])
      await other.goto(`${server}/#/sessions`)
      await opensNothing(other)
      await other.goto(`${server}/session/nothing/app/jupyter`)
      const id = sessionAt(owns)
      const opens = async () => (await callOf(other, 'POST', `/v1/sessions/${id}/apps/jupyter/open`)).body
      const open = async (url, { ticket }) =>
        statusOfForm(other, new URL('/.berth/open', url).href, ['ticket', ticket])
      const status = await open(notebooks, await opens())
      expect(status === 401, `a ticket of another app is answered ${status}`)
      const taken = await opens()
      expect(taken.ticket, `otto gets no ticket for their own app: ${JSON.stringify(taken)}`)
      const [entered] = await Promise.all([
        other.context().waitForEvent('page'),
        other.evaluate(({ url, ticket }) => {
          document.body.innerHTML = '<form method=post target=_blank><input type=hidden name=ticket></form>'
          document.forms[0].action = `${url}.berth/open`
          document.forms[0].ticket.value = ticket
          document.forms[0].submit()
        }, taken),
      ])
      await entered.getByText('New', { exact: true }).first().waitFor()
      const again = await open(taken.url, taken)
      expect(again === 401, `a ticket that was used is answered ${again}`)
      await otto.context().close()
    },
    async 'a superadmin sees the session, and opens none of it'() {
      const admin = await browser.newPage()
      await setPassword(admin, browser.origin, links.admin)
      await admin.getByRole('row', { name: /work.*RUNNING/ }).waitFor()
      for (const name of ['Apps of work', 'Console of work'])
        expect((await admin.getByLabel(name).count()) === 0, `${name} is offered to a superadmin`)
      await opensNothing(admin)
      await admin.context().close()
    },
    async 'a notebook that is saved in a folder outlives its session, and the next one shows it'() {
      await button(page, 'Terminate work').click()
      await dialog.getByText(/^Files outside storage folders end with the session/).waitFor()
      await dialog.getByText('/home/work/Untitled.ipynb', { exact: true }).waitFor()
      await button(page, 'Cancel').click()
      await endSession(page, 'work')
      await page.getByRole('link', { name: 'Storage' }).click()
      await button(page, 'New folder').click()
      await field(page, 'Name').fill('data')
      await button(page, 'Add').click()
      await page.getByRole('row', { name: /data.*READY/ }).waitFor()
      await startSession(page, { name: 'second', ...JUPYTER, folders: ['data (mine)'] })
      const tree = await openApp(page, 'second', 'Jupyter Notebook')
      await item(tree, 'data').dblclick()
      await tree.waitForURL(/\/tree\/data/)
      const notebook = await newNotebook(tree)
      await runCell(notebook, "print('kept', 'in a folder', 6 * 7)")
      await notebook.getByText('kept in a folder 42').waitFor()
      await save(notebook)
      await notebook.close()
      await tree.close()
      await endSession(page, 'second')
      await startSession(page, { name: 'third', ...JUPYTER, folders: ['data (mine)'] })
      const later = await openApp(page, 'third', 'Jupyter Notebook')
      await item(later, 'data').dblclick()
      const shown = await windowOf(later, () => item(later, 'Untitled.ipynb').dblclick())
      await shown.getByText('kept in a folder 42').waitFor()
      await shown.close()
      const terminal = await openConsole(page, 'third')
      await typeLine(terminal, 'ls data; ls Untitled.ipynb')
      await shows(terminal, /^Untitled\.ipynb/)
      await shows(terminal, 'No such file or directory')
      if (hasIndex) {
        await typeLine(terminal, `python3 -c "import iniconfig; print('still', iniconfig.__name__)"`)
        await shows(terminal, 'still iniconfig')
      }
      await terminal.close()
    },
  },
  browser,
)
