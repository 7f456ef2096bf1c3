import { expect, test } from 'vitest'
import { SseParser } from '../../src/live/sse'

const STREAM =
  'event: put\nid: 17\ndata: {"a":1}\n\n: a comment\n\nevent: position\ndata: {"position":18}\n\n'

test('frames come out whole, wherever the pieces were cut', () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    const parser = new SseParser()
    const frames = [...parser.push(STREAM.slice(0, cut)), ...parser.push(STREAM.slice(cut))]
    expect(frames).toEqual([
      { event: 'put', id: '17', data: '{"a":1}' },
      { event: 'position', id: '', data: '{"position":18}' },
    ])
  }
})

test('several data lines are one text', () => {
  expect(new SseParser().push('data: a\ndata: b\n\n')).toEqual([{ event: 'message', id: '', data: 'a\nb' }])
})

test('a frame that has not ended is not told', () => {
  expect(new SseParser().push('data: a\n')).toEqual([])
})
