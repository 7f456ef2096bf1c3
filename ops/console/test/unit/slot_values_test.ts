import { expect, test } from 'vitest'
import { asksForSomething, slotsIn } from '../../src/admin/slot_values'

test('the slots of a form are those that an amount is written for', () => {
  expect(slotsIn({ name: 'small', 'slot:cpu': ' 2 ', 'slot:mem': ' ', limited: 'yes' })).toEqual([
    ['cpu', '2'],
  ])
})

test.each([
  [{ name: 'small' }, false],
  [{ name: 'small', 'slot:cpu': '' }, false],
  [{ name: 'small', 'slot:cpu': '0' }, false],
  [{ name: 'small', 'slot:cpu': '0.5' }, true],
  [{ name: 'small', 'slot:cpu': 'two' }, true],
])('a preset of %o asks for something: %s', (values, asks) => {
  expect(asksForSomething(values)).toBe(asks)
})
