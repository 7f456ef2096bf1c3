import { createRoot } from 'react-dom/client'
import './style/mantine.css'
import './style/tokens.css'
import './style/base.css'
import { App } from './app/app'
import { WHOAMI, queries, readMe } from './app/identity'
import { tellOfInput } from './app/input'
import { parsePlace } from './app/router'
import { routeOf } from './app/routes'

// Who it is and the page to show are on their way before the first frame is drawn.
const { path } = parsePlace(location.hash)
void routeOf(path)?.load()
if (path[0] !== 'link') void queries.prefetchQuery({ queryKey: WHOAMI, queryFn: () => readMe(true) })
tellOfInput(() => void readMe(true).catch(() => undefined))

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
