/**
 * What can make an iteration fail, as far as it matters for the next one and for the user. `setup`: the agent's CLI rejects how it was
 * started. `request`: the provider rejects what the agent sent. `crash`: any other error of the agent.
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
  | 'turns'
  | 'length'
  | 'cut'
  | 'empty'
  | 'request'
  | 'crash'
