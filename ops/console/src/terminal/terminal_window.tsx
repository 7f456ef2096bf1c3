import { useEffect, useRef, useState } from 'react'
import type { Session } from '../api/schema.gen'
import { hasEnded } from '../live/tables'
import { useLost } from '../live/use_lost'
import { useText } from '../text/text'
import { Icon } from '../ui/icons'
import { ShellsDialog } from './shells_dialog'
import { TerminalKeys } from './terminal_keys'
import { TerminalNotice } from './terminal_notice'
import { FIRST_KERNEL, type ShellName } from './terminal_address'
import { useTerminal, type TerminalView } from './use_terminal'

const READ_ALOUD = 'berth.terminal.read-aloud'

type Props = { session: Session; shell: ShellName; lookAgain: () => void }

/** The bar with what there is to do, what has to be said of the connection, and the terminal. */
export function TerminalWindow({ session, shell, lookAgain }: Props) {
  const { t } = useText()
  const element = useRef<HTMLDivElement>(null)
  const first = useRef<HTMLButtonElement>(null)
  const [listed, setListed] = useState(false)
  const label = t('terminal.screen', { name: session.name })
  const terminal = useTerminal(shell, label, element, first)
  useMeanwhile(session, terminal, lookAgain)
  const back = () => terminal.screen?.focus()
  return (
    <main className={terminal.rings ? 'terminal terminal-rings' : 'terminal'}>
      <header className="terminal-bar">
        <h1 className="clip">{session.name}</h1>
        <span className="muted clip">{shellText(shell)}</span>
        <State terminal={terminal} />
        <span className="grow" />
        <div className="terminal-acts" role="toolbar" aria-label={t('terminal.acts')}>
          <button ref={first} type="button" className="quiet" onClick={() => setListed(true)}>
            <Icon name="sessions" size={14} />
            {t('terminal.shells')}
          </button>
          <Clipboard terminal={terminal} />
          <ReadAloud terminal={terminal} />
        </div>
      </header>
      <TerminalNotice session={session} terminal={terminal} />
      <p className="unseen" id="terminal-keys">
        {t('terminal.keys.hint')}
      </p>
      <div
        className="terminal-screen"
        ref={element}
        aria-describedby="terminal-keys"
        role="group"
        aria-label={label}
      />
      <TerminalKeys press={(keys) => terminal.screen?.press(keys)} />
      {listed && (
        <ShellsDialog
          session={session}
          shell={shell}
          close={() => {
            setListed(false)
            back()
          }}
        />
      )}
    </main>
  )
}

const shellText = ({ name, kernel }: ShellName) => (kernel === FIRST_KERNEL ? name : `${kernel}: ${name}`)

/** What other means tell: that the server is out of reach, that the session has ended; who is signed in no more is told by any answer. */
function useMeanwhile(session: Session, { state, connection }: TerminalView, lookAgain: () => void) {
  const lost = useLost()
  const { kind } = state
  useEffect(() => {
    if (lost && connection?.state.kind === 'attached') connection.cut()
  }, [lost, connection])
  useEffect(() => {
    if (kind === 'cut' || kind === 'closed') lookAgain()
  }, [kind, lookAgain])
  useEffect(() => {
    if (hasEnded(session)) connection?.sessionEnded()
  }, [session, connection])
}

const STATES = {
  connecting: ['move', 'terminal.connecting'],
  attached: ['run', 'terminal.connected'],
  cut: ['wait', 'terminal.cut-short'],
  ended: ['done', 'terminal.ended-short'],
  closed: ['fail', 'terminal.closed-short'],
} as const

function State({ terminal: { state, rings } }: { terminal: TerminalView }) {
  const { t } = useText()
  const [tone, words] = STATES[state.kind]
  return (
    <>
      <span className={`terminal-state terminal-${tone}`}>{t(words)}</span>
      {rings && (
        <span className="terminal-bell" title={t('terminal.bell')}>
          <Icon name="bell" size={14} />
        </span>
      )}
    </>
  )
}

/** For hands without a keyboard; Paste only where the browser lets a page read what was copied. */
function Clipboard({ terminal: { screen, hasSelection, state } }: { terminal: TerminalView }) {
  const { t } = useText()
  const reads = typeof navigator.clipboard?.readText === 'function'
  const paste = async () => screen?.paste(await navigator.clipboard.readText().catch(() => ''))
  return (
    <>
      <button
        type="button"
        className="quiet"
        disabled={!hasSelection}
        title={t('terminal.copy.hint')}
        onClick={() => screen?.copy()}
      >
        <Icon name="copy" size={14} />
        {t('action.copy')}
      </button>
      {reads && (
        <button
          type="button"
          className="quiet"
          disabled={state.kind !== 'attached'}
          title={t('terminal.paste.hint')}
          onClick={() => void paste()}
        >
          <Icon name="paste" size={14} />
          {t('terminal.paste')}
        </button>
      )}
    </>
  )
}

/** What is printed as text that a screen reader reads out; it costs time, so it is asked for. */
function ReadAloud({ terminal: { screen } }: { terminal: TerminalView }) {
  const { t } = useText()
  const [on, setOn] = useState(() => localStorage.getItem(READ_ALOUD) === 'yes')
  useEffect(() => {
    screen?.readAloud(on)
    localStorage.setItem(READ_ALOUD, on ? 'yes' : '')
  }, [screen, on])
  return (
    <button
      type="button"
      className="quiet"
      aria-pressed={on}
      title={t('terminal.read-aloud.hint')}
      onClick={() => setOn(!on)}
    >
      <Icon name={on ? 'ok' : 'speak'} size={14} />
      {t('terminal.read-aloud')}
    </button>
  )
}
