// What people do with a session in the walks through a REAL Berth: start it, open its Console and its apps, end it.
import { button, field, pressLaunch } from './rig.mjs'

/** The agent's first session of an image waits until it is unpacked. */
const IMAGE_MS = 300_000

/** START to RUNNING. `folders` are mounted under their own names. */
export async function startSession(
  page,
  { name, environment, cpu = '0.5', ram = '256m', command, folders = [], wait = IMAGE_MS },
) {
  await page.getByRole('link', { name: 'Sessions', exact: true }).click()
  await button(page, 'START').click()
  await field(page, 'Name').waitFor()
  await page.getByRole('combobox', { name: 'Environment', exact: true }).selectOption(environment)
  await field(page, 'Name').fill(name)
  await field(page, 'CPU').fill(cpu)
  await field(page, 'RAM').fill(ram)
  if (command) await field(page, 'Command').fill(command)
  for (const [at, folder] of folders.entries()) {
    await button(page, 'Mount a folder').click()
    await page.getByRole('combobox', { name: `Folder ${at + 1}`, exact: true }).selectOption(folder)
  }
  await pressLaunch(page, { asked: folders.length === 0 })
  await page.getByRole('row', { name: new RegExp(`${name}.*RUNNING`) }).waitFor({ timeout: wait })
}

export async function endSession(page, name) {
  await page.getByRole('link', { name: 'Sessions', exact: true }).click()
  await button(page, `Terminate ${name}`).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Terminate', exact: true }).click()
  await page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' })
}

/** The window that opens with what is done. */
export async function windowOf(page, act) {
  const [opened] = await Promise.all([page.context().waitForEvent('page'), act()])
  opened.setDefaultTimeout(120_000)
  return opened
}

/** By the launcher, the first icon of the session's row. */
export async function openApp(page, session, app) {
  await button(page, `Apps of ${session}`).click()
  const link = page.getByRole('dialog').getByRole('link', { name: app, exact: true })
  await link.waitFor()
  return windowOf(page, () => link.click())
}

export const isConnected = (terminal) => terminal.getByText('connected', { exact: true }).waitFor()

export async function openConsole(page, session) {
  const link = page.getByRole('link', { name: `Console of ${session}` })
  const opened = await windowOf(page, () => link.click())
  await isConnected(opened)
  return opened
}

export async function typeLine(terminal, text) {
  await terminal.locator('.xterm-helper-textarea').focus()
  await terminal.keyboard.type(text)
  await terminal.keyboard.press('Enter')
}

export const shows = (terminal, text) => terminal.locator('.xterm-rows').getByText(text).first().waitFor()
