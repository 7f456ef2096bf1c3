// README's way to a running notebook on a REAL Berth that was just installed: node test/real/notebook.mjs ORIGIN LINK_TOKEN
// The first password, START with the image jupyter, Jupyter in the browser, a cell that reads the limit that was asked for.
import { newNotebook, READS_LIMIT, runCell } from './notebook_page.mjs'
import { openBrowser, runSteps, setPassword } from './rig.mjs'
import { openApp, startSession } from './session.mjs'

const [server, token] = process.argv.slice(2)
const browser = await openBrowser(server, { direct: true })
const page = await browser.newPage()
page.setDefaultTimeout(300_000)
/** Without KVM an image of 400 MiB takes minutes to unpack. */
const IMAGE_MS = 1_200_000

await runSteps(
  {
    async 'the link sets the first password'() {
      await setPassword(page, browser.origin, token)
    },
    async 'a session of the image jupyter runs'() {
      await startSession(page, { name: 'lab', environment: 'jupyter', cpu: '1', ram: '1g', wait: IMAGE_MS })
    },
    async 'a cell of a notebook reads its limit'() {
      const tree = await openApp(page, 'lab', 'Jupyter Notebook')
      tree.setDefaultTimeout(300_000)
      const notebook = await newNotebook(tree)
      notebook.setDefaultTimeout(300_000)
      await runCell(notebook, READS_LIMIT)
      await notebook.getByText('limit 1073741824 42').waitFor()
    },
  },
  browser,
)
