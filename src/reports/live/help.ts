import { type Line, span } from './line.ts'

/** What a key does: the key, and one sentence. */
export const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['Tab', 'next pane: plan, iterations, detail'],
  ['Up Down', 'scroll, or select an iteration'],
  ['PgUp PgDn', 'scroll by a page; Home and End go all the way'],
  ['Left Right', 'detail: agent output, output of the checks, diff, verdict'],
  ['Enter', 'show the pane alone, with long lines in full'],
  ['Esc', 'back to what the run does now'],
  ['d', 'diff of the iteration'],
  ['p', 'pause after this iteration, or resume'],
  ['s', 'say something to the agent; it gets it with the next prompt'],
  ['a', 'accept a finding'],
  ['f', 'end the run as completed without proof'],
  ['q', 'leave the view; the run continues (exitgate attach)'],
  ['?', 'this help'],
]

const WIDTH = 12

export const helpLines = (interrupts: readonly string[]): readonly Line[] => [
  [span('Keys', 'bold')],
  ...KEYS.map(([key, what]): Line => [span(key.padEnd(WIDTH), 'cyan'), span(what)]),
  ...interrupts.map((text): Line => [span('Ctrl+C'.padEnd(WIDTH), 'cyan'), span(text.replace(/^Ctrl\+C:? /, ''))]),
  [],
  [span('s, a and f ask for a code that only you can see. Press any key to go back.', 'dim')],
]
