import { FitAddon } from '@xterm/addon-fit'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import { Terminal, type ITheme } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { OutputQueue } from './output_queue'
import { bytesOfBinary, type Size } from './shell_messages'
import type { Sink } from './shell_connection'

const SCROLLBACK_LINES = 10_000
const FONT_PX = 13
/** A window that is being drawn larger has a size at each frame: the shell is told of the one that it stays at. */
const RESIZE_AFTER_MS = 80
const COLOURS = [
  'black',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'white',
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const
/** Ends what a cut had left half said, and empties the screen with all above it. */
const CLEAR = Uint8Array.of(0x18, 0x1b, 0x63)

const BY_HAND = ['keydown', 'keypress', 'input', 'paste', 'compositionend'] as const

export type ScreenEvents = {
  /** `byHand`: a person did; else the screen answers what a program has asked it. */
  typed(bytes: Uint8Array<ArrayBuffer>, byHand: boolean): void
  resized(size: Size): void
  rang(): void
  selected(some: boolean): void
  lost(bytes: number): void
  /** The key that leaves the terminal, as Tab is the terminal's own. */
  left(): void
}

/** xterm.js in an element: its size and colours follow the element's, and what it is to show waits in bounds. */
export class Screen implements Sink {
  private readonly terminal: Terminal
  private readonly fitting = new FitAddon()
  private readonly queue: OutputQueue
  private readonly ends: (() => void)[] = []
  /** xterm.js gives what a person types within the event of it, and its own answers at other times. */
  private byHand = false

  constructor(
    private readonly element: HTMLElement,
    label: string,
    events: ScreenEvents,
  ) {
    const terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: false,
      fontFamily: token('--mono'),
      fontSize: FONT_PX,
      linkHandler: { activate: openLink },
      minimumContrastRatio: 4.5,
      scrollback: SCROLLBACK_LINES,
      theme: themeOfTokens(),
    })
    this.terminal = terminal
    this.queue = new OutputQueue((bytes, done) => terminal.write(bytes, done), events.lost)
    terminal.loadAddon(this.fitting)
    terminal.loadAddon(new Unicode11Addon())
    terminal.unicode.activeVersion = '11'
    terminal.attachCustomKeyEventHandler((event) => this.takesKey(event, events))
    terminal.open(element)
    terminal.textarea?.setAttribute('aria-label', label)
    const encoder = new TextEncoder()
    terminal.onData((text) => events.typed(encoder.encode(text), this.byHand))
    terminal.onBinary((text) => events.typed(bytesOfBinary(text), this.byHand))
    terminal.onBell(() => events.rang())
    terminal.onSelectionChange(() => events.selected(terminal.hasSelection()))
    this.followHands()
    this.followSize(events)
    this.followColours()
  }

  get size(): Size {
    return { columns: this.terminal.cols, rows: this.terminal.rows }
  }

  clear() {
    this.queue.push(CLEAR)
  }

  show(bytes: Uint8Array<ArrayBuffer>, then?: () => void) {
    this.queue.push(bytes, then)
  }

  focus() {
    this.terminal.focus()
  }

  readAloud(on: boolean) {
    this.terminal.options.screenReaderMode = on
  }

  /** By the command of old, which works where a page has no right to the clipboard too: xterm.js answers its event. */
  copy() {
    this.terminal.focus()
    document.execCommand('copy')
  }

  paste(text: string) {
    this.terminal.focus()
    this.doByHand(() => this.terminal.paste(text))
  }

  /** As if a key had been pressed that this device may not have. */
  press(keys: string) {
    this.terminal.focus()
    this.doByHand(() => this.terminal.input(keys))
  }

  close() {
    this.ends.forEach((end) => end())
    this.terminal.dispose()
  }

  /** False: the key is not the terminal's. Ctrl C with Shift copies; Ctrl V with Shift and Shift Insert are the browser's paste. */
  private takesKey(event: KeyboardEvent, events: ScreenEvents): boolean {
    const { type, key, ctrlKey, shiftKey } = event
    const copies = ctrlKey && ((shiftKey && key.toLowerCase() === 'c') || key === 'Insert')
    const leaves = ctrlKey && key === 'F6'
    if (!copies && !leaves) return true
    event.preventDefault()
    if (type === 'keydown' && copies) this.copy()
    else if (type === 'keydown') events.left()
    return false
  }

  private doByHand(act: () => void) {
    this.byHand = true
    act()
    this.byHand = false
  }

  /** Before xterm.js has the event, and once all have had it. What an input method composes comes a moment later. */
  private followHands() {
    const listening = new AbortController()
    for (const name of BY_HAND)
      this.element.addEventListener(
        name,
        () => {
          this.byHand = true
          setTimeout(() => (this.byHand = false))
        },
        { capture: true, signal: listening.signal },
      )
    this.ends.push(() => listening.abort())
  }

  private followSize(events: ScreenEvents) {
    let timer: ReturnType<typeof setTimeout> | undefined
    this.fitting.fit()
    this.terminal.onResize(({ cols, rows }) => events.resized({ columns: cols, rows }))
    const observer = new ResizeObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(() => this.fitting.fit(), RESIZE_AFTER_MS)
    })
    observer.observe(this.element)
    this.ends.push(() => (clearTimeout(timer), observer.disconnect()))
  }

  private followColours() {
    const observer = new MutationObserver(() => (this.terminal.options.theme = themeOfTokens()))
    observer.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
    this.ends.push(() => observer.disconnect())
  }
}

/** A program chooses a link's words and its address: as elsewhere it takes a key to follow it, and it learns nothing of this window. */
function openLink(event: MouseEvent, address: string) {
  if ((event.ctrlKey || event.metaKey) && /^https?:/.test(address))
    window.open(address, '_blank', 'noopener,noreferrer')
}

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function themeOfTokens(): ITheme {
  return {
    background: token('--surface'),
    foreground: token('--text'),
    cursor: token('--text'),
    cursorAccent: token('--surface'),
    selectionBackground: token('--selection'),
    scrollbarSliderBackground: token('--line'),
    scrollbarSliderHoverBackground: token('--line-strong'),
    scrollbarSliderActiveBackground: token('--line-strong'),
    ...Object.fromEntries(COLOURS.map((name, number) => [name, token(`--ansi-${number}`)])),
  }
}
