/** The options of the commands that only look at a journal. */
export const LOOK_OPTIONS = {
  dir: { type: 'string' },
  'state-dir': { type: 'string' },
  json: { type: 'boolean' },
  'no-color': { type: 'boolean' },
} as const

export interface LookValues {
  readonly dir?: string
  readonly 'state-dir'?: string
  readonly json?: boolean
  readonly 'no-color'?: boolean
}
