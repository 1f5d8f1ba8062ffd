/** Keys of one task. A prompt stands in the list itself or in a file beside it. */
export const TASK_KEYS = [
  ['id', 'prompt', 'promptFile', 'title', 'after', 'priority', 'plan', 'type', 'limits'],
  ['repository', 'base', 'agent', 'key'],
].flat()

/** What may be said once for all tasks: everything but what makes one task that one. */
export const DEFAULT_KEYS = ['priority', 'plan', 'type', 'limits', 'repository', 'base', 'agent', 'key']

export const TASK_LIMITS = ['iterations', 'minutes', 'usd', 'tokens']
export const SHARED_LIMITS = ['usd', 'tokens', 'minutes', 'callsPerHour']

/**
 * Words by which somebody would choose how a task is proven, or what is run for it. Whoever may add a task to a list is not
 * thereby somebody who may say what counts as done.
 */
const OF_THE_REPOSITORY = new Set(
  [
    ['test', 'tests', 'build', 'lint', 'typecheck', 'command', 'commands', 'setup', 'run', 'hooks', 'env'],
    ['required', 'requireChange', 'evidence', 'baseline', 'checks', 'review', 'artifacts', 'redProof', 'confirmRuns'],
    ['preset', 'threshold', 'breaker', 'promise', 'patterns', 'config', 'agentArgs', 'agentOverride', 'permissions'],
  ].flat(),
)

export const choosesEvidence = (key: string): boolean => OF_THE_REPOSITORY.has(key)
