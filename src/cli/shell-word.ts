/** A word of a command line that a user or an agent copies into a shell. */
export function shellWord(word: string, platform: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (platform === 'win32') return `"${word.replace(/"/g, '\\"')}"`
  return `'${word.replace(/'/g, `'\\''`)}'`
}
