// A picture of every page and dialog in each look; axe looks at each.
import { startFake } from '../fake_server.mjs'
import { folder, newPage, picture, signIn, startSessions, THEMES, WIDTHS } from './browser.mjs'

export const PAGES = [
  ['sessions', '#/sessions'],
  ['sessions-none-match', '#/sessions?q=nothing-has-this-name'],
  ['finished', '#/sessions?tab=finished'],
  ['storage', '#/storage'],
  ['storage-trash', '#/storage?tab=trash'],
  ['agents', '#/agents'],
  ['queue', '#/queue'],
  ['events', '#/events'],
  ['time', '#/time'],
  ['usage', '#/usage'],
  ['operations', '#/operations'],
  ['admin-users', '#/admin/users'],
  ['admin-projects', '#/admin/projects'],
  ['admin-domains', '#/admin/domains'],
  ['admin-groups', '#/admin/groups'],
  ['admin-limits', '#/admin/limits'],
  ['admin-presets', '#/admin/presets'],
  ['admin-images', '#/admin/images'],
  ['admin-producers', '#/admin/producers'],
  ['admin-quarantine', '#/admin/quarantine'],
  ['account', '#/account'],
  ['no-such-page', '#/nowhere'],
]

/** What opens over a page: where, and what to do there first. */
const DIALOGS = [
  ['launch', '#/sessions', (page) => page.getByRole('button', { name: 'START' }).click()],
  ['launch-mounts', '#/sessions', beginMounting],
  [
    'launch-warning',
    '#/sessions',
    async (page) => {
      await page.getByRole('button', { name: 'START' }).click()
      await page.getByRole('button', { name: 'LAUNCH', exact: true }).click()
      await page.getByRole('button', { name: 'LAUNCH WITHOUT STORAGE FOLDER' }).waitFor()
    },
  ],
  ['create-folder', '#/storage', (page) => page.getByRole('button', { name: 'New folder' }).click()],
  ['share-folder', '#/storage', (page) => page.getByRole('button', { name: 'Share: models' }).click()],
  [
    'purge-folder',
    '#/storage?tab=trash',
    (page) => page.getByRole('button', { name: 'Remove for good: old' }).click(),
  ],
  ['drawer', async (fake) => `#/sessions?open=${sessionNamed(fake, 'notebook').id}`],
  ['drawer-waiting', async (fake) => `#/sessions?open=${sessionNamed(fake, 'many-3').id}`],
  ['drawer-log', async (fake) => `#/sessions?open=${sessionNamed(fake, 'notebook').id}&view=log`],
  ['event', async (fake) => `#/events?open=${fake.cluster.events.at(-1).id}`],
  [
    'decision',
    async (fake) =>
      `#/events?open=${fake.cluster.events.findLast(({ type }) => type === 'SessionScheduled').id}`,
    async (page) => {
      await page.getByRole('button', { name: 'How this was decided' }).click()
      await page.getByText('it comes out as recorded: main1').waitFor()
    },
  ],
  ['terminate', '#/sessions', (page) => page.getByRole('button', { name: 'Terminate many' }).first().click()],
  ['add-user', '#/admin/users', (page) => page.getByRole('button', { name: 'Add user' }).click()],
  ['edit-limit', '#/admin/limits', (page) => page.getByRole('button', { name: 'Edit: user alice' }).click()],
]

async function beginMounting(page) {
  await page.getByRole('button', { name: 'START' }).click()
  await page.getByRole('button', { name: 'Mount a folder' }).click()
  await page.getByRole('button', { name: 'Mount a folder' }).click()
}

const sessionNamed = (fake, name) =>
  [...fake.cluster.tables.sessions.values()].findLast((session) => session.name === name)

/** Names as long as people give them: what is cut on a narrow screen is cut here. */
export function addLongNames({ cluster, people }) {
  const { tables } = cluster
  people.add({
    name: 'minseo.kim-research-fellow-of-the-vision-lab',
    display_name: 'Kim Minseo, research fellow',
    projects: ['default', 'vision', 'large-language-model-evaluation-2026'],
  })
  cluster.put('projects', 'default/large-language-model-evaluation-2026', {
    ...tables.projects.get('default/vision'),
    name: 'large-language-model-evaluation-2026',
    display_name: 'Evaluation of large language models',
    members: ['alice', 'admin', 'minseo.kim-research-fellow-of-the-vision-lab'].map((user) => ({
      user,
      admin: user === 'alice',
    })),
  })
  cluster.put('limits', 'project/default/large-language-model-evaluation-2026', {
    ...tables.limits.get('user/alice'),
    scope: 'project',
    id: 'default/large-language-model-evaluation-2026',
    slots: { cpu: '1024', mem: '1099511627776', 'cuda.shares': '64' },
  })
  cluster.put('groups', 'gpu-large', {
    ...tables.groups.get('gpu-large'),
    order: 'fair-share',
    head_of_line: { policy: 'skip-after-n', n: 12 },
    preemption: { ...tables.groups.get('gpu-large').preemption, enabled: true, order: 'fewest-sessions' },
    open_to: [{ scope: 'project', id: 'default/large-language-model-evaluation-2026' }],
  })
  const reference = 'registry.lab.example/vision/pytorch-cuda12.4-cudnn9-devel:2.6.0-ubuntu22.04'
  cluster.put('images', reference, {
    ...tables.images.get('python:3.11'),
    reference,
    source: `oci:/var/lib/images/${reference}`,
  })
  cluster.put('keys', 'BK4F0A9C2E7B81D35A', {
    ...tables.keys.get('BK00FAKE'),
    id: 'BK4F0A9C2E7B81D35A',
    name: 'nightly evaluation on build machine 17',
    used_at: new Date(Date.now() - 7_200_000).toISOString(),
  })
  cluster.addAgent(
    'dgx-a100-node-017.rack-03.pangyo.example.org',
    { cpu: '256', mem: '2t' },
    [{ id: 'GPU-8f6d2c11', slots: { 'cuda.shares': '2' } }],
    'gpu-large',
  )
  startSessions(
    { cluster },
    {
      name: 'evaluation-of-checkpoint-2026-11-23-of-the-large-model',
      image: reference,
      resources: { cpu: '8', mem: '512g', 'cuda.shares': '2' },
    },
  )
}

export async function takePictures(browser, fake) {
  addLongNames(fake)
  const resources = { cpu: '1', mem: '1g', 'cuda.shares': '1' }
  startSessions(fake, { name: 'many', image: 'python:3.11', count: 3, resources })
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      const page = await newPage(browser, { width, theme })
      await page.goto(`${fake.origin}/#/`)
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      await picture(page, 'login', width, theme)
      await signIn(page, fake, 'admin', 'admin-secret')
      for (const [name, hash] of PAGES) {
        await page.goto(`${fake.origin}/${hash}`)
        await picture(page, name, width, theme)
      }
      for (const [name, place, act] of DIALOGS) {
        await page.goto('about:blank')
        await page.goto(`${fake.origin}/${typeof place === 'string' ? place : await place(fake)}`)
        await act?.(page)
        await page.getByRole('dialog').first().waitFor()
        if (name === 'launch') await page.getByText('would start now').waitFor()
        await picture(page, name, width, theme)
      }
      await page.context().close()
    }
  }
}

export async function showEmpty(browser) {
  const fake = await startFake({ folder, empty: true })
  for (const width of WIDTHS) {
    const page = await newPage(browser, { width })
    await signIn(page, fake, 'alice', 'alice-secret')
    await page.getByText('This cluster has no agents yet').waitFor()
    await picture(page, 'sessions-empty', width, 'light')
    await page.goto(`${fake.origin}/#/agents`)
    await picture(page, 'agents-empty', width, 'light')
    await page.context().close()
  }
  fake.close()
}
