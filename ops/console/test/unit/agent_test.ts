import { expect, test } from 'vitest'
import { kernelCount } from '../../src/agent/kernel_count'
import type { Agent } from '../../src/api/schema.gen'
import { en } from '../../src/text/en'
import { fill, type Translate } from '../../src/text/text'

const t: Translate = (key, values) => fill(en[key], values)
const agentWith = (own: number, containers: number) =>
  ({ kernels: Array.from({ length: own }), containers }) as unknown as Agent

test.each([
  [2, 2, 'Kernels: 2'],
  [2, 4, 'Kernels: 2 (others’ 2)'],
  [0, 3, 'Kernels: 0 (others’ 3)'],
  [1, 0, 'Kernels: 1'],
])('an agent that shows %i kernels and counts %i containers has %s', (own, containers, said) => {
  expect(kernelCount(agentWith(own, containers), t)).toBe(said)
})
