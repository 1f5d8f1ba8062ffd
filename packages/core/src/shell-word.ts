/** One word for a POSIX shell, whatever it contains. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Whether a word means itself in every shell. */
export const isPlainWord = (word: string): boolean => /^[\w@%+=:,./-]+$/.test(word)

/** A word of a command line that a user or an agent copies into a shell. */
export function shellWord(word: string, platform: string): string {
  if (isPlainWord(word)) return word
  return platform === 'win32' ? `"${word.replaceAll('"', '\\"')}"` : quoted(word)
}
