// Why a walk failed.

const COLOURS = /\u001b\[\d*m/g

/** On one line, since a report of many tests shows the first alone: which lines of the walk, and what was waited for there. */
export function reasonOf({ message, stack }) {
  const frames = stack?.match(/(?<=\/test\/)[\w/-]+\.mjs:\d+/g) ?? []
  return [...frames, message.replaceAll(COLOURS, '').trim().replace(/\s*\n[\s-]*/g, ' ')].join(': ')
}
