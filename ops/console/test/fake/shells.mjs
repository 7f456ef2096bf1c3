// The FAKE cluster's shells: a scripted one that echoes and knows a few words, over the messages of berth.session.v1.
//   ls, size, colours, unicode, ask, bell, flood MIB, cut, exit CODE; other words are not found.
import { Refusal } from './cluster.mjs'

const KEPT_BYTES = 1 << 20
const PIECE_BYTES = 16_384
const PROMPT = '\x1b[32mwork@main1\x1b[0m:\x1b[34m~\x1b[0m$ '

const keyOf = (session, kernel, name) => `${session.id}\n${kernel}\n${name}`

/** A shell outlives its clients: it keeps the newest of what it printed. */
class Shell {
  clients = new Set()
  startedAt = new Date().toISOString()
  kept = Buffer.alloc(0)
  begin = 0
  size = { columns: 80, rows: 24 }
  typed = ''
  heard = ''

  constructor(name, ended) {
    this.name = name
    this.ended = ended
  }

  attach(socket, made) {
    this.clients.add(socket)
    socket.on('close', () => this.clients.delete(socket))
    const begun = { made, scrollback: this.kept.length, lost: this.begin, restarts: 0 }
    socket.send(JSON.stringify({ begun }))
    for (let at = 0; at < this.kept.length; at += PIECE_BYTES)
      sendBytes(socket, this.kept.subarray(at, at + PIECE_BYTES))
  }

  print(text) {
    const bytes = Buffer.from(text)
    this.kept = Buffer.concat([this.kept, bytes])
    const over = this.kept.length - KEPT_BYTES
    if (over > 0) {
      this.kept = this.kept.subarray(over)
      this.begin += over
    }
    this.clients.forEach((socket) => sendBytes(socket, bytes))
  }

  tell(message) {
    this.clients.forEach((socket) => socket.send(JSON.stringify(message)))
  }

  /** The last message, and a close as it says. */
  leave(message, code) {
    this.tell(message)
    this.clients.forEach((socket) => socket.close(code))
  }

  hear(bytes) {
    this.heard += bytes.toString('latin1')
    for (const character of bytes.toString()) {
      if (character === '\r') this.run()
      else if (character === '\x7f') {
        if (this.typed) this.print('\b \b')
        this.typed = [...this.typed].slice(0, -1).join('')
      } else if (character === '\x03') {
        this.typed = ''
        this.print(`^C\r\n${PROMPT}`)
      } else if (character >= ' ') {
        this.typed += character
        this.print(character)
      }
    }
  }

  run() {
    const [word = '', argument = ''] = this.typed.trim().split(/\s+/)
    this.typed = ''
    this.print('\r\n')
    if (word === 'exit') return this.ended(this, { exit_code: Number(argument), signal: 0 })
    if (word === 'cut') return this.clients.forEach((socket) => socket.terminate())
    WORDS[word]?.(this, argument)
    if (word && !WORDS[word]) this.print(`sh: ${word}: not found\r\n`)
    this.print(PROMPT)
  }
}

const WORDS = {
  size: (shell) => shell.print(`${shell.size.columns} columns, ${shell.size.rows} rows\r\n`),
  ls: (shell) => shell.print('\x1b[34mdata\x1b[0m  \x1b[32mtrain.py\x1b[0m  Untitled.ipynb\r\n'),
  colours: (shell) => {
    for (const bright of [30, 90])
      shell.print(
        `${[0, 1, 2, 3, 4, 5, 6, 7].map((at) => `\x1b[${bright + at}mcolour ${at}\x1b[0m`).join(' ')}\r\n`,
      )
  },
  /** Each byte in a message of its own. */
  unicode: (shell) => {
    for (const byte of Buffer.from('가나다 日本 😀 é|\r\n')) shell.print(Buffer.of(byte))
  },
  /** What kind of terminal is it? The answer comes as if it were typed. */
  ask: (shell) => shell.print('\x1b[c'),
  bell: (shell) => shell.print('\x07'),
  flood: (shell, mebibytes) => {
    const line = `${'0123456789abcdef'.repeat(6)}\r\n`
    const piece = Buffer.from(line.repeat(Math.floor(PIECE_BYTES / line.length)))
    const pieces = Math.ceil((Number(mebibytes || 1) * (1 << 20)) / piece.length)
    for (let count = 0; count < pieces; count++) shell.clients.forEach((socket) => sendBytes(socket, piece))
    shell.begin += pieces * piece.length
  },
}

function sendBytes(socket, bytes) {
  socket.send(Buffer.concat([Buffer.of(1), bytes]))
}

export class Shells {
  shells = new Map()

  serve(socket, { session, kernel }) {
    socket.once('message', (data) => {
      const { name = 'main', existing = false, columns = 80, rows = 24 } = JSON.parse(data.toString())
      const key = keyOf(session, kernel, name)
      const made = !this.shells.has(key)
      if (made && existing) {
        const problem = { code: 'no-such-shell', message: `there is no shell '${name}'`, hint: '' }
        socket.send(JSON.stringify({ problem }))
        return socket.close(1008)
      }
      const shell = this.shells.get(key) ?? new Shell(name, (ended, how) => this.ended(key, ended, how))
      this.shells.set(key, shell)
      shell.size = { columns, rows }
      shell.attach(socket, made)
      if (made) shell.print(PROMPT)
      socket.on('message', (bytes, isBinary) => {
        if (isBinary) return shell.hear(bytes)
        const told = JSON.parse(bytes.toString())
        if (told.columns) shell.size = { columns: told.columns, rows: told.rows }
      })
    })
  }

  ended(key, shell, how) {
    this.shells.delete(key)
    shell.leave({ ended: how }, 1000)
  }

  of(session, kernel = 'main1', name = 'main') {
    return this.shells.get(keyOf(session, kernel, name))
  }

  list(session, kernel) {
    return [...this.shells]
      .filter(([key]) => key.startsWith(keyOf(session, kernel, '')))
      .map(([, { name, startedAt, clients }]) => ({
        name,
        command: '/bin/bash',
        started_at: startedAt,
        clients: clients.size,
      }))
  }

  end(session, kernel, name) {
    const key = keyOf(session, kernel, name)
    const shell = this.shells.get(key)
    if (!shell) throw new Refusal(404, 'no-such-shell', `there is no shell '${name}' in this kernel`)
    this.ended(key, shell, { exit_code: 129, signal: 1 })
  }

  /** All that are attached to a session's shells are told why they are cut. */
  refuse(session, code, message) {
    for (const [key, shell] of this.shells)
      if (key.startsWith(session.id)) shell.leave({ problem: { code, message, hint: '' } }, 1008)
  }

  endSession(session) {
    this.refuse(session, 'session-ended', 'the session has ended')
    for (const key of this.shells.keys()) if (key.startsWith(session.id)) this.shells.delete(key)
  }

  cutAll() {
    this.shells.forEach(({ clients }) => clients.forEach((socket) => socket.terminate()))
  }
}
