import { createRoot } from 'react-dom/client'
import './style/mantine.css'
import './style/tokens.css'
import './style/base.css'
import { App } from './app/app'
import { WHOAMI, queries, readMe } from './app/identity'
import { tellOfInput } from './app/input'
import { parsePlace } from './app/router'
import { TERMINAL, loadApp, loadTerminal, routeOf } from './app/routes'
import { appNameOf } from './launcher/app_address'
import { loadLanguage } from './text/text'

const { path } = parsePlace(location.hash)
tellOfInput(() => void readMe(true).catch(() => undefined))

const PATIENCE_MS = 1_500

function loadPage() {
  if (appNameOf(location.pathname)) return loadApp()
  return path[0] === TERMINAL ? loadTerminal() : routeOf(path)?.load()
}

/**
 * Drawn once, when it is known who it is and what to show: until then there is the frame in index.html. Where that takes
 * long, it is drawn as it is, and says that it waits.
 */
async function draw() {
  const told = path[0] === 'link' || queries.prefetchQuery({ queryKey: WHOAMI, queryFn: () => readMe(true) })
  const page = loadPage()
  const known = Promise.allSettled([told, page, loadLanguage()])
  await Promise.race([known, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))])
  const root = document.getElementById('root')
  if (root) createRoot(root).render(<App />)
}

void draw()
