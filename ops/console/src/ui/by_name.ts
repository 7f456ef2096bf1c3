/** Names in the order of people: a2 before a10. */
export const byName = new Intl.Collator(undefined, { numeric: true }).compare
