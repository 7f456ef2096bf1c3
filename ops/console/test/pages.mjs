// Goes through every page of the built console in Chromium, against the FAKE server: node test/pages.mjs [FOLDER [WALK...]]
// With names of walks, only through those.
// Screenshots go to build/console_pages: with BERTH_LOOKS=all at 1280 and 360 pixels and in both themes. Fails on a serious axe
// violation, on any violation of the content security policy, on an error in the browser's console, and on a step that does not do
// what it says.
import { mkdirSync } from 'node:fs'
import { takeAppPictures, walkAppRights, walkApps, walkImageMemory } from './browser/apps.mjs'
import { faults, folder, leavePages, pictures } from './browser/browser.mjs'
import { showEmpty, takePictures } from './browser/pictures.mjs'
import { walkOperators } from './browser/operators.mjs'
import { walkProducers } from './browser/producers.mjs'
import { walkPast } from './browser/past.mjs'
import { walkLosses } from './browser/losses.mjs'
import { takeFilePictures, walkFiles, walkManyFiles, walkMounts, walkStorage } from './browser/storage.mjs'
import { walkShares } from './browser/shares.mjs'
import { takeTerminalPictures, walkFlood, walkTerminal, walkTerminalRights } from './browser/terminal.mjs'
import {
  walkAdmin,
  walkFaults,
  walkIndicator,
  walkKeyboard,
  walkKorean,
  walkLive,
  walkStory,
} from './browser/walks.mjs'
import { launchChromium } from './chromium.mjs'
import { startFake } from './fake_server.mjs'
import { reasonOf } from './reason.mjs'

mkdirSync(pictures, { recursive: true })
/** Two browsers side by side, each with a FAKE server of its own that the walks of its list share, in this order. */
const lists = [
  [
    walkStory,
    walkKeyboard,
    walkAdmin,
    walkLive,
    walkFaults,
    walkStorage,
    walkMounts,
    walkFiles,
    walkManyFiles,
    takeFilePictures,
    takePictures,
    walkKorean,
  ],
  [
    walkShares,
    walkTerminal,
    walkTerminalRights,
    walkApps,
    walkAppRights,
    walkImageMemory,
    walkLosses,
    walkPast,
    walkProducers,
    walkOperators,
    takeAppPictures,
    takeTerminalPictures,
    walkIndicator,
    showEmpty,
  ],
]
const chosen = process.argv.slice(3)
const took = []

async function walkList(list) {
  const walks = list.filter(({ name }) => chosen.length === 0 || chosen.includes(name))
  if (walks.length === 0) return
  const fake = await startFake({ folder })
  const browser = await launchChromium()
  for (const walk of walks) {
    const begin = Date.now()
    await walk(browser, fake).catch((error) => faults.push(`${walk.name}: ${reasonOf(error)}`))
    await leavePages(browser, walk.name)
    took.push([(Date.now() - begin) / 1000, walk.name])
    console.log(`${walk.name}: ${took.at(-1)[0].toFixed(1)} s`)
  }
  await browser.close()
  fake.close()
}

await walkList([walkFlood]) // alone: it measures how long a page stands still
await Promise.all(lists.map(walkList))
faults.forEach((fault) => console.error(fault))
took.sort(([one], [other]) => other - one)
const slowest = took.slice(0, 10).map(([seconds, name]) => `${name} ${seconds.toFixed(0)} s`)
console.log(`slowest: ${slowest.join(', ')}`)
console.log(`pages: ${faults.length} faults; pictures in build/console_pages`)
process.exit(faults.length > 0 ? 1 : 0)
