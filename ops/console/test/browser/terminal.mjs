// What people do in a terminal of a session, against the FAKE server's scripted shell.
import { startFake } from '../fake_server.mjs'
import {
  comesTrue,
  expect,
  folder,
  newPage,
  picture,
  signIn,
  startSessions,
  THEMES,
  watchFaults,
  WIDTHS,
} from './browser.mjs'

const FLOOD_MIB = 100
/** How long a page may not answer at most while output floods it. */
const LONGEST_FREEZE_MS = 1_000

/** What the terminal shows: its rows in sight. */
const rowsOf = (page) => page.locator('.xterm-rows')
const shown = (page, text) => rowsOf(page).getByText(text).first().waitFor()

async function type(page, text) {
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** The terminal's window, once its shell has prompted. */
async function attached(page) {
  await page.getByText('connected', { exact: true }).waitFor()
  await shown(page, 'work@main1')
  return page
}

async function openConsole(page, name) {
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: `Console of ${name}` }).click(),
  ])
  return attached(watchFaults(opened))
}

const sizeShown = async (page) => {
  await type(page, 'size')
  const told = rowsOf(page).getByText(/\d+ columns, \d+ rows/)
  await told.last().waitFor()
  return (await told.last().innerText()).trim()
}

export async function walkTerminal(browser) {
  const fake = await startFake({ folder })
  const page = await newPage(browser)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, fake, 'alice', 'alice-secret')
  const opened = await openConsole(page, 'notebook')
  const notebook = [...fake.cluster.tables.sessions.values()].find(({ name }) => name === 'notebook')
  expect((await opened.title()) === 'notebook', `the window's title is ${await opened.title()}`)
  expect(await opened.evaluate(() => window.opener === null), 'the window knows who opened it')

  await type(opened, 'ls')
  await shown(opened, 'Untitled.ipynb')
  await type(opened, 'unicode')
  await shown(opened, '가나다 日本 😀 é|')
  await walkResize(opened, fake, notebook)
  await walkClipboard(opened)
  await walkAnswers(opened, fake, notebook)
  await walkFocus(opened)
  const second = await walkTwoWindows(page, opened, fake, notebook)
  await walkCuts(opened, second, fake, notebook)
  await walkShells(opened, fake, notebook)
  await walkEnds(opened, fake, notebook)
  await page.context().close()
  fake.close()
}

async function walkResize(page, fake, session) {
  const before = await sizeShown(page)
  await page.setViewportSize({ width: 900, height: 500 })
  await page.waitForFunction(() => document.querySelectorAll('.xterm-rows > div').length < 40)
  const told = () => {
    const { columns, rows } = fake.shells.of(session).size
    return `${columns} columns, ${rows} rows`
  }
  // The page and the shell hear of it at their own times.
  const until = Date.now() + 10_000
  let after = await sizeShown(page)
  while ((after === before || after !== told()) && Date.now() < until) {
    await page.waitForTimeout(50)
    after = await sizeShown(page)
  }
  expect(before !== after && after === told(), `${before} became ${after}`)
  await page.setViewportSize({ width: 1280, height: 800 })
}

async function walkClipboard(page) {
  await page.evaluate(() => navigator.clipboard.writeText('echo-한글-pasted'))
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.press('Control+Shift+V')
  await shown(page, 'echo-한글-pasted')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Paste' }).click()
  await shown(page, /echo-한글-pasted: not found/)
  await page.keyboard.press('Control+C')
  const word = rowsOf(page).getByText('Untitled.ipynb').first()
  const { x, y, width, height } = await word.boundingBox()
  await page.mouse.dblclick(x + width - 20, y + height / 2)
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.keyboard.press('Control+Shift+C')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied.length > 0 && !copied.includes('echo'), `copied: '${copied}'`)
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.getByRole('button', { name: 'Copy' }).click()
  expect((await page.evaluate(() => navigator.clipboard.readText())) === copied, 'Copy copies another text')
}

/** How often a terminal has told the shell what terminal it is. */
const answersOf = (shell) => shell.heard.split('\x1b[?1;2c').length - 1

/** Has the shell ask its question: how often it was answered then, `before` at first. */
async function answersAfter(page, shell, before) {
  await type(page, 'ask')
  await comesTrue(() => answersOf(shell) > before)
  // A second answer, which must not come, would stand before what is typed next.
  await type(page, 'after-the-question')
  await shown(page, 'after-the-question: not found')
  return answersOf(shell)
}

/** A question of a program to its terminal is answered once; read again with all that was printed, it is not. */
async function walkAnswers(page, fake, session) {
  const shell = fake.shells.of(session)
  const first = await answersAfter(page, shell, 0)
  expect(first === 1, `a question was answered ${first} times`)
  await page.reload()
  await attached(page)
  await type(page, 'ls')
  await shown(page, 'Untitled.ipynb')
  expect(answersOf(shell) === 1, 'a question in what was printed before was answered again')
}

async function walkFocus(page) {
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.press('Control+F6')
  const shells = page.getByRole('button', { name: 'Shells' })
  expect(
    await shells.evaluate((one) => one === document.activeElement),
    'Ctrl+F6 does not leave the terminal',
  )
  await page.getByRole('button', { name: 'Screen reader' }).click()
  await page.locator('.xterm-accessibility-tree').getByText('Untitled.ipynb').first().waitFor()
  await page.getByRole('button', { name: 'Screen reader' }).click()
  await type(page, 'bell')
  await page.getByTitle('The bell rang').waitFor()
  await page.getByTitle('The bell rang').waitFor({ state: 'detached' })
}

async function walkTwoWindows(page, first, fake, session) {
  const second = await openConsole(page, 'notebook')
  await type(second, 'from-the-second')
  await shown(first, 'from-the-second: not found')
  expect(fake.shells.of(session).clients.size === 2, 'two windows are not on one shell')
  const shell = fake.shells.of(session)
  const before = answersOf(shell)
  const answers = (await answersAfter(second, shell, before)) - before
  expect(answers === 1, `two windows answered a question ${answers} times`)
  return second
}

async function walkCuts(first, second, fake, session) {
  await type(first, 'before-the-cut')
  await shown(first, 'before-the-cut: not found')
  fake.down(true)
  await first.getByText('The connection is lost.').first().waitFor()
  await first.locator('.xterm-helper-textarea').focus()
  await first.keyboard.type('typed-while-cut')
  await picture(first, 'terminal-cut', 1280, 'light')
  fake.shells.of(session).print('printed\r\nmean\r\nwhile\r\n')
  fake.down(false)
  await first.getByText('Reconnected. Lines printed meanwhile: 3.').waitFor()
  await second.getByText('Reconnected. Lines printed meanwhile: 3.').waitFor()
  await shown(first, 'before-the-cut: not found')
  await shown(first, 'while')
  const { heard } = fake.shells.of(session)
  expect(!heard.includes('typed-while-cut'), 'what was typed while the connection was cut was sent')
  await first.getByRole('button', { name: 'Close' }).click()
  await second.close()
}

async function walkShells(page, fake, session) {
  await page.getByRole('button', { name: 'Shells' }).click()
  await page.getByText('main (this one)').waitFor()
  await page.getByRole('textbox', { name: 'Name of a new shell' }).fill('build')
  await page.getByRole('button', { name: 'Open' }).click()
  await attached(page)
  expect((await page.title()) === 'notebook (build)', `the window's title is ${await page.title()}`)
  expect(page.url().endsWith(`#/terminal/${session.id}/build`), `a shell's address is ${page.url()}`)
  await page.getByRole('button', { name: 'Shells' }).click()
  await page.getByRole('button', { name: 'End shell main' }).click()
  await page.getByText('Its programs end with it').waitFor()
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText('build (this one)').waitFor()
  expect(!fake.shells.of(session), 'the shell was not ended')
  await page.getByRole('button', { name: 'End shell build' }).click()
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText('No shells are open in this kernel.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('The shell was ended by signal 1.').waitFor()
  await page.getByRole('button', { name: 'New shell' }).click()
  await attached(page)
}

async function walkEnds(page, fake, session) {
  await type(page, 'exit 3')
  await page.getByText('The shell ended with exit code 3.').waitFor()
  await page.getByRole('button', { name: 'New shell' }).click()
  await attached(page)
  fake.shells.refuse(session, 'access-lost', 'you may not any more')
  await page.getByText('Only the owner of a session can open its terminal.').waitFor()
  await page.reload()
  await attached(page)
  const shell = fake.shells.of(session, 'main1', 'build')
  await type(page, 'the-last-word')
  expect(await comesTrue(() => shell.heard.endsWith('the-last-word\r')), 'the last word was not heard')
  fake.cluster.end(fake.cluster.tables.sessions.get(session.id), 'alice')
  await page.getByText('The session has ended.').waitFor()
  await shown(page, 'the-last-word: not found')
  await page.reload()
  await page.getByText('The session has ended.').waitFor()
  await page.getByText('notebook').waitFor()
}

/** Whose terminal it is not, what does not run yet, and who logs out. */
export async function walkTerminalRights(browser) {
  const fake = await startFake({ folder })
  fake.people.setPassword('admin', 'admin-secret')
  const [own] = startSessions(fake, { name: 'own', resources: { cpu: '1' } })
  const [waiting] = startSessions(fake, { name: 'waiting', resources: { cpu: '24' } })
  const page = await newPage(browser)
  await signIn(page, fake, 'admin', 'admin-secret')
  await page.getByRole('link', { name: 'Console of own' }).waitFor()
  await page.getByRole('link', { name: 'notebook', exact: true }).waitFor()
  for (const name of ['notebook', 'waiting'])
    expect(
      (await page.getByRole('link', { name: `Console of ${name}` }).count()) === 0,
      `a Console is offered of ${name}`,
    )
  await page.getByRole('link', { name: 'own', exact: true }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Console' }).waitFor()
  await picture(page, 'drawer-console', 1280, 'light')
  await page.setViewportSize({ width: 360, height: 740 })
  await picture(page, 'drawer-console', 360, 'light')
  await page.setViewportSize({ width: 1280, height: 800 })
  const notebook = [...fake.cluster.tables.sessions.values()].find(({ name }) => name === 'notebook')
  await page.goto(`${fake.origin}/#/terminal/${notebook.id}`)
  await page.getByText('Only the owner of a session can open its terminal.').waitFor()
  await picture(page, 'terminal-denied', 1280, 'light')
  await page.goto(`${fake.origin}/#/terminal/nonsense`)
  await page.getByText('Not found').waitFor()
  await page.goto(`${fake.origin}/#/terminal/${waiting.id}`)
  await page.getByText('The session is not running yet').waitFor()
  await picture(page, 'terminal-waits', 1280, 'light')
  fake.cluster.addAgent('roomy', { cpu: '64', mem: '64g' }, [])
  fake.cluster.schedule()
  await attached(page)
  await page.goto(`${fake.origin}/#/terminal/${own.id}`)
  await attached(page)
  const other = watchFaults(await page.context().newPage())
  await other.goto(`${fake.origin}/#/sessions`)
  await other.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  expect(await comesTrue(() => fake.shells.of(own).clients.size === 0), 'a terminal outlives a logout')
  await page.context().close()
  fake.close()
}

/** As fast as the loopback gives it: the page answers all the while, says what it left out, and shows the prompt at the end. */
export async function walkFlood(browser) {
  const fake = await startFake({ folder })
  const page = await newPage(browser)
  await signIn(page, fake, 'alice', 'alice-secret')
  const opened = await openConsole(page, 'notebook')
  await opened.evaluate(() => {
    const beat = { last: performance.now(), longest: 0 }
    globalThis.beat = beat
    setInterval(() => {
      beat.longest = Math.max(beat.longest, performance.now() - beat.last)
      beat.last = performance.now()
    }, 10)
  })
  const begin = Date.now()
  await type(opened, `flood ${FLOOD_MIB}`)
  await shown(opened, '0123456789abcdef')
  await type(opened, 'after-the-flood')
  await shown(opened, 'after-the-flood: not found')
  const took = Date.now() - begin
  const longest = Math.round(await opened.evaluate(() => globalThis.beat.longest))
  console.log(`  ${FLOOD_MIB} MiB in ${took} ms, the page answered after ${longest} ms at the latest`)
  expect(longest < LONGEST_FREEZE_MS, `a flood froze the page for ${longest} ms`)
  await page.context().close()
  fake.close()
}

const WORDS = ['ls', 'colours', 'unicode', 'size', 'a-command-that-nobody-knows']

/** The terminal and what opens over it, in each look. */
export async function takeTerminalPictures(browser) {
  for (const theme of THEMES)
    for (const width of WIDTHS) {
      const fake = await startFake({ folder })
      const page = await newPage(browser, { width, theme, phone: width < 500 })
      await signIn(page, fake, 'alice', 'alice-secret')
      const notebook = [...fake.cluster.tables.sessions.values()].find(({ name }) => name === 'notebook')
      await page.getByRole('link', { name: 'Console of notebook' }).waitFor()
      await page.goto(`${fake.origin}/#/terminal/${notebook.id}`)
      await attached(page)
      if (width < 500) await page.getByRole('button', { name: 'Ctrl C' }).click()
      for (const word of WORDS) await type(page, word)
      await shown(page, 'nobody-knows: not found')
      await picture(page, 'terminal', width, theme)
      await page.getByRole('button', { name: 'Shells' }).click()
      await page.getByText('main (this one)').waitFor()
      await picture(page, 'terminal-shells', width, theme)
      await page.getByRole('button', { name: 'End shell main' }).click()
      await picture(page, 'terminal-shell-end', width, theme)
      await page.keyboard.press('Escape')
      fake.shells.cutAll()
      await page.getByText(/^Reconnected/).waitFor()
      await picture(page, 'terminal-back', width, theme)
      await type(page, 'exit 1')
      await page.getByText('The shell ended with exit code 1.').waitFor()
      await picture(page, 'terminal-ended', width, theme)
      await page.context().close()
      fake.close()
    }
}
