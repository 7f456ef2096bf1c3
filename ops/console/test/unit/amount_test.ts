import { expect, test } from 'vitest'
import { amountText, microOf, parseAmount, shareOf, showAmount, writtenAmount } from '../../src/amount/amount'

test.each([
  ['0.5', 500_000n],
  ['16', 16_000_000n],
  ['0.000001', 1n],
  ['256m', 268_435_456_000_000n],
  ['1G', 1_073_741_824_000_000n],
  ['-1', -1_000_000n],
])('the text %s is an exact amount', (text, micro) => {
  expect(parseAmount(text)).toBe(micro)
})

test.each(['', 'abc', '1.', '.5', '1e3', '0.0000001', '1 2'])('the text "%s" is no amount', (text) => {
  expect(parseAmount(text)).toBeNull()
})

test('ten times a tenth is one, exactly', () => {
  const tenth = microOf('0.1')
  expect(amountText(tenth * 10n)).toBe('1')
})

test.each([
  ['1', 'count', '1'],
  ['1.5', 'count', '1.5'],
  ['1.234567', 'count', '1.23'],
  ['2147483648', 'bytes', '2 GiB'],
  ['268435456', 'bytes', '256 MiB'],
  ['1610612736', 'bytes', '1.5 GiB'],
  ['0', 'bytes', '0 B'],
] as const)('people read %s %s as %s', (text, kind, shown) => {
  expect(showAmount(microOf(text), kind)).toBe(shown)
})

test.each([
  ['536870912', '512m'],
  ['17179869184', '16g'],
  ['1000', '1000'],
  ['0', '0'],
])('%s bytes are written as %s, which says the same', (bytes, written) => {
  expect(writtenAmount(microOf(bytes), 'bytes')).toBe(written)
  expect(parseAmount(written)).toBe(microOf(bytes))
})

test('nothing of nothing is no share', () => {
  expect(shareOf(0n, 0n)).toBe(0)
  expect(shareOf(microOf('1'), microOf('2'))).toBe(0.5)
})
