// Jupyter's pages, as a person works in them.
import { windowOf } from './session.mjs'

/** Prints `limit BYTES 42`, by cgroups of version 1 and 2. */
export const READS_LIMIT = `
from pathlib import Path
limits = [Path('/sys/fs/cgroup') / name for name in ('memory/memory.limit_in_bytes', 'memory.max')]
print('limit', *[path.read_text().strip() for path in limits if path.exists()], 6 * 7)`.trim()

/** NEW, Notebook for Berth, in the folder that the tree shows. */
export async function newNotebook(tree) {
  await tree
    .getByRole('button', { name: 'New', exact: true })
    .or(tree.getByText('New', { exact: true }))
    .first()
    .click()
  const kernel = tree.getByRole('menuitem', { name: 'Notebook for Berth' })
  return windowOf(tree, () => kernel.click())
}

export async function runCell(notebook, text) {
  await notebook.locator('.jp-CodeCell .cm-content').last().click()
  await notebook.locator('[data-status=idle]').first().waitFor({ state: 'attached' })
  await notebook.keyboard.press('Control+a')
  await notebook.keyboard.insertText(text)
  await notebook.keyboard.press('Control+Enter')
}
