// What a browser asks of this frontend, checked before Berth is asked: a wrong value is told to the person who typed it.

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

export interface Launch {
  id: string
  session: Record<string, unknown>
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function textOf(body: Record<string, unknown>, name: string, pattern: RegExp, what: string): string {
  const value = body[name]
  if (typeof value !== 'string' || !pattern.test(value)) throw new Refused(400, `${name}: ${what}`)
  return value
}

export function launchOf(body: Record<string, unknown>): Launch {
  const name = textOf(body, 'name', /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?$/, 'letters, digits, - _ . (or nothing)')
  const session: Record<string, unknown> = {
    image: textOf(body, 'image', /^[\w.:/@+-]{1,200}$/, 'an image, like python:3.11'),
    resources: {
      cpu: textOf(body, 'cpu', /^\d{1,4}(\.\d{1,3})?$/, 'a number of cores, like 0.5'),
      mem: textOf(body, 'mem', /^\d{1,6}[kmg]$/, 'an amount, like 256m'),
    },
  }
  if (name !== '') session['name'] = name
  return { id: textOf(body, 'id', UUID, 'a UUID that is used again when the same is asked again'), session }
}

export function sessionIdOf(text: string): string {
  if (!UUID.test(text)) throw new Refused(404, 'there is no such session')
  return text
}
