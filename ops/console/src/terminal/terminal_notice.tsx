import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { showAmount } from '../amount/amount'
import { asSentence, pageHint } from '../api/problem'
import type { Session } from '../api/schema.gen'
import { hashOf } from '../app/router'
import { ReasonText } from '../session/reason_text'
import { useText, type Translate } from '../text/text'
import { useNow } from '../ui/use_now'
import type { Refusal } from './shell_messages'
import type { Return } from './shell_place'
import type { ShellState, Why } from './shell_state'
import type { TerminalView } from './use_terminal'

type Props = { session: Session; terminal: TerminalView }

/** What has to be said of the connection, above the terminal: in it, a program that fills the screen would be spoilt. */
export function TerminalNotice({ session, terminal }: Props) {
  const { t } = useText()
  const { state, connection, tooMuch } = terminal
  if (state.kind === 'cut')
    return (
      <Notice tone="wait" act={<Again act={t('terminal.now')} press={() => connection?.open(false)} />}>
        {t(state.refused ? 'terminal.refused' : 'terminal.cut')} <Countdown to={state.again} />
      </Notice>
    )
  if (state.kind === 'ended')
    return (
      <Notice tone="done" act={<Again act={t('terminal.new')} press={() => connection?.open(true)} />}>
        {endText(state, t)}
      </Notice>
    )
  if (state.kind === 'closed') return <Closed session={session} why={state.why} terminal={terminal} />
  if (tooMuch) return <Notice tone="wait">{t('terminal.too-much')}</Notice>
  if (state.kind !== 'attached' || (!state.back && state.lost === 0)) return null
  const lines = [state.back && returnText(state.back, t), state.lost > 0 && lostText(state.lost, t)]
  return (
    <Notice
      tone={state.lost > 0 ? 'wait' : 'run'}
      act={<Again act={t('action.close')} press={() => connection?.quiet()} />}
    >
      {lines.filter(Boolean).join(' ')}
    </Notice>
  )
}

const WORDS = {
  'session-ended': 'terminal.session-ended',
  denied: 'terminal.denied',
  'not-found': 'terminal.not-found',
  'signed-out': 'terminal.signed-out',
  gone: 'terminal.gone',
  failed: 'terminal.failed',
} as const

function Closed({ session, why, terminal: { state, connection } }: Props & { why: Why }) {
  const { t } = useText()
  const problem = state.kind === 'closed' ? state.problem : null
  const anew = why === 'gone'
  const again = anew || why === 'failed' || (why === 'session-ended' && session.status === 'RUNNING')
  return (
    <Notice
      tone={why === 'session-ended' ? 'done' : 'fail'}
      act={
        again ? (
          <Again act={t(anew ? 'terminal.new' : 'action.retry')} press={() => connection?.open(anew)} />
        ) : (
          <a href={hashOf(['sessions'], { open: session.id })}>{t('nav.sessions')}</a>
        )
      }
    >
      {t(WORDS[why])} {why === 'session-ended' && <ReasonText session={session} />}
      {why === 'failed' && problem && <Told problem={problem} />}
    </Notice>
  )
}

function Told({ problem: { code, message, hint } }: { problem: Refusal }) {
  const more = [asSentence(message), asSentence(pageHint(hint))].filter(Boolean)
  return (
    <>
      {more.map((sentence) => `${sentence.replace(/\.?$/, '.')} `)}
      {code && <span className="mono muted">{code}</span>}
    </>
  )
}

const TONES = { run: 'status', wait: 'alert', done: 'status', fail: 'alert' } as const

function Notice({ tone, act, children }: { tone: keyof typeof TONES; act?: ReactNode; children: ReactNode }) {
  return (
    <div className={`terminal-notice terminal-${tone}`}>
      <p className="said grow" role={TONES[tone]}>
        {children}
      </p>
      {act}
    </div>
  )
}

function Again({ act, press }: { act: string; press: () => void }) {
  return (
    <Button variant="default" size="compact-xs" onClick={press}>
      {act}
    </Button>
  )
}

/** Seen, not read out each second. */
function Countdown({ to }: { to: number }) {
  const { t } = useText()
  const seconds = Math.max(0, Math.ceil(to / 1000) - useNow())
  return <span aria-hidden="true">{seconds > 1 ? t('terminal.again-in', { n: seconds }) : ''}</span>
}

const bytesText = (bytes: number) => showAmount(BigInt(Math.round(bytes)) * 1_000_000n, 'bytes')
const lostText = (bytes: number, t: Translate) => t('terminal.lost', { bytes: bytesText(bytes) })

function returnText({ lines, lost, newer }: Return, t: Translate): string {
  if (newer) return t('terminal.back-newer')
  const told = lines > 0 ? t('terminal.back-lines', { n: lines }) : t('terminal.back')
  return lost > 0 ? `${told} ${t('terminal.back-lost', { bytes: bytesText(lost) })}` : told
}

function endText({ exitCode, signal }: Extract<ShellState, { kind: 'ended' }>, t: Translate): string {
  return signal > 0 ? t('terminal.killed', { n: signal }) : t('terminal.ended', { code: exitCode })
}
