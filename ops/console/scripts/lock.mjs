// Takes out of package-lock.json what names hosts, which `npm ci` does not need: run it after each `npm install`.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
for (const entry of Object.values(lock.packages)) {
  delete entry.resolved
  delete entry.funding
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
