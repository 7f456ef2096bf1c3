// Prints how large the built console is by gzip and fails beyond its budget: node scripts/budget.mjs [FOLDER]
// Initial is the entry, the Sessions page and all that these load at once, and the shared worker.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const INITIAL_KIB = 170
const WHOLE_KIB = 500
const FIRST_PAGE = 'src/session/session_page.tsx'

const folder = process.argv[2] ?? '../../build/release/console'
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
const scripts = readdirSync(join(folder, 'assets'))
  .filter((name) => name.endsWith('.js'))
  .map((name) => `assets/${name}`)
const sizeOf = (file) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length / 1024

function loadedBy(key, files = new Set()) {
  const chunk = manifest[key]
  if (!files.has(chunk.file)) {
    files.add(chunk.file)
    chunk.imports?.forEach((next) => loadedBy(next, files))
  }
  return files
}

const initial = loadedBy(FIRST_PAGE, loadedBy('index.html'))
scripts.filter((file) => file.includes('live_worker')).forEach((file) => initial.add(file))
const sum = (files) => [...files].reduce((total, file) => total + sizeOf(file), 0)

const lines = [
  ['initial', sum(initial), INITIAL_KIB],
  ['whole', sum(scripts), WHOLE_KIB],
]
for (const [name, size, most] of lines)
  console.log(`console ${name} JavaScript: ${size.toFixed(1)} KiB gzip of at most ${most}`)
process.exitCode = lines.some(([, size, most]) => size > most) ? 1 : 0
