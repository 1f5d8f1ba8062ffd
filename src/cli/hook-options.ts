/** The options of `hook HOST`, which a host calls. */
export const ANSWER_OPTIONS = {
  timeout: { type: 'string' },
  'max-refusals': { type: 'string' },
  'state-dir': { type: 'string' },
} as const

/** The options of `hook install`, `uninstall` and `status`, which a person calls. */
export const SETUP_OPTIONS = {
  user: { type: 'boolean' },
  project: { type: 'boolean' },
  timeout: { type: 'string' },
  dir: { type: 'string' },
  json: { type: 'boolean' },
} as const
