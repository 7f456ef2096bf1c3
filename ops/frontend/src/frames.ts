// Server-sent events, read from a reply's body frame by frame.

export interface Frame {
  id: string
  event: string
  data: string
}

const FRAME_MAX = 4 << 20 // characters: more without an end is no stream of Berth's

export async function* framesOf(reply: Response): AsyncGenerator<Frame> {
  if (!reply.body) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of reply.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(bytes, { stream: true })
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const frame = parse(rest.slice(0, end))
      rest = rest.slice(end + 2)
      if (frame) yield frame
    }
    if (rest.length > FRAME_MAX) throw new Error('a frame without an end')
  }
}

function parse(text: string): Frame | undefined {
  const frame: Frame = { id: '', event: '', data: '' }
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ')
    const name = line.slice(0, colon)
    if (name === 'id' || name === 'event' || name === 'data') frame[name] += line.slice(colon + 2)
  }
  return frame.event === '' ? undefined : frame // a comment keeps the connection alive
}
