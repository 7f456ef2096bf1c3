// The manuals' exercise on a REAL Berth with the image jupyter: node test/real/jupyter.mjs ORIGIN LINK_TOKEN
// START, the first icon, a notebook whose cell reads the limit that was set, the terminal that shows its file, JupyterLab, TensorBoard.
import { button, field, openBrowser, pressLaunch, runSteps, setPassword } from './rig.mjs'

const [server, token] = process.argv.slice(2)
const browser = await openBrowser(server, { direct: true })
const page = await browser.newPage()
const dialog = page.getByRole('dialog')

const MEMORY = 1_073_741_824
/** Of cgroups v1 and v2. */
const CELL = `
from pathlib import Path
limits = [Path('/sys/fs/cgroup') / name for name in ('memory/memory.limit_in_bytes', 'memory.max')]
print('limit', *[path.read_text().strip() for path in limits if path.exists()], 6 * 7)`.trim()

async function windowOf(opener, open) {
  const [opened] = await Promise.all([opener.context().waitForEvent('page'), open()])
  opened.setDefaultTimeout(120_000)
  return opened
}

async function openApp(name) {
  await button(page, 'Apps of work').click()
  const link = dialog.getByRole('link', { name, exact: true })
  await link.waitFor()
  return windowOf(page, () => link.click())
}

async function withoutPrompt(opened) {
  if ((await opened.getByText(/token|password/i).count()) > 0) throw new Error('it asks for a token')
}

await runSteps(
  {
    async 'a session of the image starts with the memory that was asked for'() {
      await setPassword(page, browser.origin, token)
      await button(page, 'START').click()
      await page.getByRole('combobox', { name: 'Environment', exact: true }).selectOption('jupyter')
      await field(page, 'Name').fill('work')
      await field(page, 'CPU').fill('1')
      await field(page, 'RAM').fill('128m')
      await dialog.getByText('Less than this image needs (512 MiB)').waitFor()
      await field(page, 'RAM').fill('1g')
      await pressLaunch(page)
      page.setDefaultTimeout(120_000)
      await page.getByRole('row', { name: /work.*RUNNING/ }).waitFor({ timeout: 300_000 })
    },
    async 'Jupyter Notebook opens without a token, and a cell reads the limit'() {
      const begin = Date.now()
      const tree = await openApp('Jupyter Notebook')
      await tree
        .getByRole('button', { name: 'New', exact: true })
        .or(tree.getByText('New', { exact: true }))
        .first()
        .click()
      await withoutPrompt(tree)
      const kernel = tree.getByRole('menuitem', { name: 'Notebook for Berth' })
      const notebook = await windowOf(tree, () => kernel.click())
      const cell = notebook.locator('.jp-CodeCell .cm-content').first()
      await cell.click()
      await notebook.locator('[data-status=idle]').first().waitFor({ state: 'attached' })
      await notebook.keyboard.insertText(CELL)
      await notebook.keyboard.press('Control+Enter')
      await notebook.getByText(`limit ${MEMORY} 42`).waitFor()
      const took = `${((Date.now() - begin) / 1000).toFixed(1)} s from the click to the output`
      await notebook.keyboard.press('Control+s')
      await notebook.close()
      await tree.close()
      return took
    },
    async "the Console shows the notebook's file"() {
      const terminal = await openApp('Console')
      await terminal.getByText('connected', { exact: true }).waitFor()
      await terminal.locator('.xterm-helper-textarea').focus()
      await terminal.keyboard.type('id -un; pwd; ls')
      await terminal.keyboard.press('Enter')
      await terminal.locator('.xterm-rows').getByText('Untitled.ipynb').waitFor()
      await terminal.locator('.xterm-rows').getByText('/home/work', { exact: true }).waitFor()
      await terminal.close()
    },
    async 'JupyterLab opens without a token, and runs a cell of the same notebook'() {
      const lab = await openApp('JupyterLab')
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
      await lab.close()
    },
    async 'TensorBoard opens'() {
      const board = await openApp('TensorBoard')
      await board.getByText('No dashboards are active for the current data set').waitFor()
      await board.close()
    },
  },
  browser,
)
