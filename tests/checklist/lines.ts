/**
 * A requirement of an older tool: a short description, and the tests that cover it. A reference is the id of a row, a file with
 * text in it (`path: text`), or the number of the issue that will cover it (`#4`).
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
