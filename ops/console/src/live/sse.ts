export type Frame = { event: string; id: string; data: string }

/** Cuts a text stream of server-sent events into frames; a piece may end anywhere. */
export class SseParser {
  private rest = ''

  push(piece: string): Frame[] {
    const blocks = (this.rest + piece).replaceAll('\r\n', '\n').split('\n\n')
    this.rest = blocks.pop() ?? ''
    return blocks.map(frameOf).filter((frame) => frame.data !== '')
  }
}

function frameOf(block: string): Frame {
  const frame: Frame = { event: 'message', id: '', data: '' }
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const value = line.slice(colon + 1).replace(/^ /, '')
    const field = line.slice(0, colon)
    if (field === 'event') frame.event = value
    else if (field === 'id') frame.id = value
    else if (field === 'data') frame.data += frame.data ? `\n${value}` : value
  }
  return frame
}
