/** Exact amounts: decimal text as the API has it, as micro-units in a bigint. No floating point touches them. */
const MICRO = 1_000_000n
const BINARY: Record<string, bigint> = { k: 1n << 10n, m: 1n << 20n, g: 1n << 30n, t: 1n << 40n }
const BINARY_NAMES: [bigint, string][] = [
  [1n << 40n, 'TiB'],
  [1n << 30n, 'GiB'],
  [1n << 20n, 'MiB'],
  [1n << 10n, 'KiB'],
]

export type Kind = 'count' | 'bytes' | 'unique'

/** `0.5`, `16`, `256m` (binary suffixes), or null where the text is no amount. */
export function parseAmount(text: string): bigint | null {
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?([kmgt]?)i?b?$/i.exec(text.trim())
  if (!match) return null
  const [, sign, whole = '0', fraction = '', suffix = ''] = match
  const micro = BigInt(whole) * MICRO + BigInt(fraction.padEnd(6, '0'))
  const scaled = micro * (BINARY[suffix.toLowerCase()] ?? 1n)
  return sign ? -scaled : scaled
}

export const microOf = (text: string | undefined | null): bigint => parseAmount(text ?? '0') ?? 0n

/** The text that the API takes and gives: no trailing zeros. */
export function amountText(micro: bigint): string {
  const positive = micro < 0n ? -micro : micro
  const fraction = String(positive % MICRO)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${micro < 0n ? '-' : ''}${positive / MICRO}${fraction ? `.${fraction}` : ''}`
}

/** As people write it, and the API takes it: bytes in the largest unit that needs no fraction, like `512m`. */
export function writtenAmount(micro: bigint, kind: Kind): string {
  const bytes = micro / MICRO
  const unit =
    kind === 'bytes' && micro > 0n && micro % MICRO === 0n
      ? Object.entries(BINARY).findLast(([, size]) => bytes % size === 0n)
      : undefined
  return unit ? `${bytes / unit[1]}${unit[0]}` : amountText(micro)
}

/** For people: bytes in the largest binary unit that leaves at most two decimals, counts with at most two. */
export function showAmount(micro: bigint, kind: Kind): string {
  if (kind !== 'bytes') return decimals(micro, MICRO)
  const bytes = micro / MICRO
  const unit = BINARY_NAMES.find(([size]) => bytes >= size || -bytes >= size)
  return unit ? `${decimals(bytes, unit[0])} ${unit[1]}` : `${bytes} B`
}

function decimals(value: bigint, one: bigint): string {
  const hundredths = (value * 100n + (value < 0n ? -one : one) / 2n) / one
  return amountText(hundredths * (MICRO / 100n))
}

/** How full, 0 to 1; a share for drawing only. */
export function shareOf(used: bigint, total: bigint): number {
  if (total <= 0n) return 0
  return Number((used * 10_000n) / total) / 10_000
}

export const kindOf = (slot: string): Kind => (/^mem|\.mem|disk|shm/.test(slot) ? 'bytes' : 'count')

const SLOT_NAMES: Record<string, string> = {
  cpu: 'CPU',
  mem: 'RAM',
  disk: 'Disk',
  'cuda.shares': 'fGPU',
  'cuda.device': 'GPU',
}
export const slotName = (slot: string): string => SLOT_NAMES[slot] ?? slot

const SLOT_ORDER = ['cpu', 'mem', 'cuda.shares', 'cuda.device', 'disk']
const rank = (slot: string) => (SLOT_ORDER.includes(slot) ? SLOT_ORDER.indexOf(slot) : SLOT_ORDER.length)
export const bySlotOrder = (a: string, b: string) => rank(a) - rank(b) || a.localeCompare(b)
