import { expect, test } from 'vitest'
import type { DecisionQueueStep } from '../../src/api/schema.gen'
import { placesText, queueShown } from '../../src/decision/decision'

const step = (place: number): DecisionQueueStep => ({
  place,
  session: `s${place}`,
  name: `n${place}`,
  user: 'u',
  priority: 10,
  asked: place,
  outcome: 'placed',
  code: null,
  slot: null,
})
const queue = Array.from({ length: 200 }, (_, at) => step(at + 1))

test('of a long queue the session itself is shown, and what stood near it', () => {
  const shown = queueShown({ queue, session: 's100' }).map(({ place }) => place)
  expect(shown).toEqual(Array.from({ length: 21 }, (_, at) => 90 + at))
  expect(queueShown({ queue, session: 's1' })[0]?.place).toBe(1)
  expect(queueShown({ queue, session: 's200' }).at(-1)?.place).toBe(200)
  expect(queueShown({ queue: queue.slice(0, 2), session: 's2' })).toHaveLength(2)
})

test('places name their agents and devices; none is a dash', () => {
  expect(placesText(null)).toBe('–')
  expect(
    placesText([
      {
        kernel: 'main1',
        agent: 'a1',
        devices: [
          { device: 'cuda0', slot: 'cuda.shares', amount: '0.5' },
          { device: 'cuda0', slot: 'cuda.mem', amount: '1' },
        ],
      },
      { kernel: 'sub1', agent: 'a2', devices: [] },
    ]),
  ).toBe('main1 → a1 (cuda0); sub1 → a2')
})
