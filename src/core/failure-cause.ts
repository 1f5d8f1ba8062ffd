/**
 * Why an iteration failed. With `setup` the agent's CLI rejects how it was started, with `request` the provider rejects what the
 * agent sent. Any other error of the agent is a `crash`.
 */
export type FailureCause =
  | 'login'
  | 'payment'
  | 'setup'
  | 'model'
  | 'limit'
  | 'outage'
  | 'refusal'
  | 'time'
  | 'silence'
  | 'runaway'
  | 'turns'
  | 'budget'
  | 'length'
  | 'cut'
  | 'empty'
  | 'request'
  | 'crash'
