// node main.js [--key FILE] [--people FILE] [--berth URL] [--listen HOST:PORT] [--answers FILE] [--secure]
// node main.js add NAME OWNER [--people FILE]      the password is the first line of stdin
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { AnswerBook } from './answers.js'
import { Berth, type ProducerKey } from './berth.js'
import { People } from './people.js'
import { Frontend } from './server.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    key: { type: 'string', default: 'web.json' },
    people: { type: 'string', default: 'people.json' },
    berth: { type: 'string', default: 'http://127.0.0.1:7410' },
    listen: { type: 'string', default: '127.0.0.1:8080' },
    answers: { type: 'string', default: 'answers.jsonl' },
    secure: { type: 'boolean', default: false },
  },
})

const people = new People(values.people)

function add(name: string | undefined, owner: string | undefined): void {
  const password = readFileSync(0, 'utf8').split('\n')[0] ?? ''
  if (!name || !owner || password.length < 8) {
    console.error('add NAME OWNER, and a password of 8 characters or more on stdin')
    process.exit(2)
  }
  people.add(name, owner, password)
  console.log(`${name} signs in here, and is ${owner} at Berth`)
}

function serve(): void {
  const key = JSON.parse(readFileSync(values.key, 'utf8')) as ProducerKey
  const berth = new Berth(new URL(values.berth), key)
  const [, host, port] = /^(.*):(\d+)$/.exec(values.listen) ?? []
  if (host === undefined || port === undefined) {
    console.error('--listen HOST:PORT')
    process.exit(2)
  }
  const stop = new AbortController()
  void new AnswerBook(values.answers).follow(berth, (text) => console.error(text), stop.signal)
  const server = new Frontend(berth, people, values.secure).listen(Number(port), host, (taken) =>
    console.log(`serves http://${host}:${taken} as producer ${berth.name}`),
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stop.abort()
      server.close()
      server.closeAllConnections()
    })
}

if (positionals[0] === 'add') add(positionals[1], positionals[2])
else serve()
