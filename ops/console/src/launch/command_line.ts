/** Words of a command as a shell reads them: blanks part them, quotes and backslashes hold them together. Null: a quote is open. */
export function parseCommand(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string
    if (char === '\\' && quote !== "'" && i + 1 < line.length) word = (word ?? '') + line[++i]
    else if (quote) {
      if (char === quote) quote = ''
      else word += char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + char
  }
  if (quote) return null
  return word === null ? words : [...words, word]
}

/** One word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export const commandText = (words: readonly string[]) => words.map(shellWord).join(' ')
