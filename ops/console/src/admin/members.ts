import type { Translate } from '../text/text'

type Place = { admin: boolean } & ({ user: string } | { project: string })
type Member = { user: string; admin: boolean }

/** Names of members, or of projects of a member, each with the word for who administers; `-` where none are to be seen. */
export function placesText(places: readonly Place[] | null, t: Translate): string {
  const words = (places ?? []).map((place) => {
    const name = 'user' in place ? place.user : place.project
    return place.admin ? `${name} (${t('project.admin')})` : name
  })
  return words.join(', ') || '–'
}

/** Members as a person writes them: a line each, `alice` or `alice admin`. */
export const linesOf = (members: readonly Member[] | null) =>
  (members ?? []).map(({ user, admin }) => (admin ? `${user} admin` : user)).join('\n')

export function levelsOf(lines: string): Map<string, 'admin' | 'member'> {
  const words = lines
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([user]) => user)
  return new Map(words.map(([user = '', level]) => [user, level === 'admin' ? 'admin' : 'member']))
}
