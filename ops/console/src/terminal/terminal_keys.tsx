import { useText } from '../text/text'

/** What a phone's keyboard does not have, as a terminal sends it. */
const KEYS = [
  ['Esc', '\x1b'],
  ['Tab', '\t'],
  ['Ctrl C', '\x03'],
  ['Ctrl D', '\x04'],
  ['↑', '\x1b[A'],
  ['↓', '\x1b[B'],
  ['←', '\x1b[D'],
  ['→', '\x1b[C'],
] as const

/** Shown where fingers point. */
export function TerminalKeys({ press }: { press: (keys: string) => void }) {
  const { t } = useText()
  return (
    <div className="terminal-keys" role="toolbar" aria-label={t('terminal.keys')}>
      {KEYS.map(([name, keys]) => (
        <button key={name} type="button" className="quiet" onClick={() => press(keys)}>
          {name}
        </button>
      ))}
    </div>
  )
}
