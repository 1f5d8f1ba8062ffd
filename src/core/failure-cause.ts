/** What can make an iteration fail, as far as it matters for the next one and for the user. */
const CAUSES = [
  'login',
  'payment',
  /** The agent's CLI rejects how it was started. */
  'setup',
  'model',
  'limit',
  'outage',
  'refusal',
  'time',
  'silence',
  'turns',
  'length',
  'cut',
  'empty',
  /** The provider rejects what the agent sent. */
  'request',
  /** Any other error of the agent. */
  'crash',
] as const

export type FailureCause = (typeof CAUSES)[number]
