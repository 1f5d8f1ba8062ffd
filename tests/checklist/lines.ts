/**
 * A wish of an older system: a few words on it, and the places where it is held. A place is the id of a row, a file and
 * words in it (`path: words`), or the number of the issue that will hold it (`#4`).
 */
export type Lines = Readonly<Record<string, readonly [what: string, ...places: string[]]>>

export const ISSUES: Readonly<Record<string, string>> = {
  '#3': 'evidence',
  '#4': 'loop',
  '#5': 'agents and hooks',
  '#6': 'report',
  '#7': 'measured and learned',
  '#8': 'fleet',
}
