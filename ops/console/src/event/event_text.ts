import type { Event } from '../api/schema.gen'

/** What happened, without the event's type: that stands beside it. */
export const sentenceOf = ({ type, text }: Pick<Event, 'type' | 'text'>) =>
  text.startsWith(`${type} `) ? text.slice(type.length + 1) : text
