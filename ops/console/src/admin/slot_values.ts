import { parseAmount } from '../amount/amount'
import type { Values } from '../ui/edit_dialog'

const PREFIX = 'slot:'

/** The slots that a form has an amount written for. */
export const slotsIn = (values: Values): [slot: string, text: string][] =>
  Object.entries(values)
    .filter(([name, text]) => name.startsWith(PREFIX) && text.trim() !== '')
    .map(([name, text]) => [name.slice(PREFIX.length), text.trim()])

/** Whether it asks for anything; what is no amount is for the server to refuse. */
export const asksForSomething = (values: Values) =>
  slotsIn(values).some(([, text]) => parseAmount(text) !== 0n)
