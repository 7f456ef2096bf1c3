// How few actions it takes, written from the pages alone: node test/real/actions.mjs ORIGIN LINK_TOKEN
// Whatever a hand does is an action: to open a link, to click, to fill a field. Found by role and label only.
import { openBrowser, runSteps } from './rig.mjs'

const MOST_TO_A_SESSION = 10
const MOST_TO_A_USER_WITH_A_LIMIT = 15

const [server, token] = process.argv.slice(2)
const browser = await openBrowser(server)
const page = await browser.newPage()

/** A hand that counts; what it is bound to is the most that it may do. */
function handOf(most) {
  let count = 0
  const counted = async (action) => {
    count += 1
    if (count > most) throw new Error(`more than ${most} actions`)
    await action()
  }
  return {
    open: (address) => counted(() => page.goto(address)),
    click: (role, name) => counted(() => page.getByRole(role, { name, exact: true }).click()),
    fill: (name, text) => counted(() => page.getByRole('textbox', { name, exact: true }).fill(text)),
    told: () => `${count} actions of at most ${most}`,
  }
}

await runSteps(
  {
    async 'from the link to a running session'() {
      const hand = handOf(MOST_TO_A_SESSION)
      await hand.open(`${browser.origin}/#/link/${token}`)
      await hand.fill('New password', 'a long enough secret')
      await hand.click('button', 'Set password and log in')
      await hand.click('button', 'START')
      await hand.fill('Name', 'first')
      await hand.click('button', 'LAUNCH')
      await hand.click('button', 'LAUNCH WITHOUT STORAGE FOLDER')
      await page.getByRole('dialog', { name: /first/ }).getByText('RUNNING').waitFor()
      await hand.click('button', 'Close')
      await page.getByRole('row', { name: /first.*RUNNING/ }).waitFor()
      return hand.told()
    },
    async 'from there to a second user with a limit'() {
      const hand = handOf(MOST_TO_A_USER_WITH_A_LIMIT)
      await hand.click('link', 'Admin')
      await hand.click('button', 'Add user')
      await hand.fill('Name', 'bob')
      await hand.click('button', 'Add')
      await page.getByRole('heading', { name: 'Login link for bob' }).waitFor()
      await hand.click('button', 'I have saved it')
      await hand.click('link', 'Limits')
      await hand.click('button', 'Set limit')
      await hand.fill('Applies to', 'bob')
      await hand.fill('CPU', '4')
      await hand.click('button', 'Save')
      await page.getByRole('row', { name: /bob.*4 CPU/ }).waitFor()
      return hand.told()
    },
  },
  browser,
)
