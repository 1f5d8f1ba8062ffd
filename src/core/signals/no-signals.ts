import type { Signals } from '../types.ts'

/** An agent that has said nothing. */
export const NO_SIGNALS: Signals = {
  claims: {},
  vetoes: [],
  said: {},
  blocks: [],
  phrases: [],
  text: '',
  length: 0,
  denials: [],
  source: 'none',
  problems: [],
}
