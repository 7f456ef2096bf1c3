import { createRoot } from 'react-dom/client'
import './style/mantine.css'
import './style/tokens.css'
import './style/base.css'
import { App } from './app/app'

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
