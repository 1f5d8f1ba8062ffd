import type { LimitsConfig } from '../../core/config.ts'
import type { State } from '../../core/journal/events.ts'
import type { RunEnd } from '../../core/run.ts'
import type { Ending } from '../../core/types.ts'

type Steps = (end: RunEnd, state: State) => readonly string[]

const LOOK = 'exitgate explain shows every rule with its answer for the last iteration'
const RESUME = 'exitgate run --resume goes on where it stopped'
const RESET = 'exitgate reset --breaker --reason "..." closes the breaker, then exitgate run --resume goes on'

/** A limit that was reached: twice as much of it is a place to start. */
const raise =
  (flag: string, name: keyof LimitsConfig, least: number): Steps =>
  (_end, state) => {
    const most = Math.max(least, 2 * (state.config?.limits[name] ?? least))
    return [LOOK, `exitgate run --resume --${flag} ${most} goes on with a higher limit`]
  }

/** What a person can do next, by the kind of end. */
const STEPS: Readonly<Record<Ending, Steps>> = {
  verified: () => ['look at the changes and take them over; exitgate explain shows what was proven'],
  threshold: () => [
    'this preset ended below full proof; what is listed as missing was never shown',
    'exitgate run --preset default asks for claim and proof together',
  ],
  forced: () => [
    'a person ended this run; nothing was verified by it',
    'exitgate check decides about the workspace as it is now',
  ],
  breaker: () => [LOOK, `change the prompt, the task or the environment, then: ${RESET}`],
  'same-task': (end) => [
    LOOK,
    `split or reword the task${end.task === undefined ? '' : ` ${end.task}`}, or take it off the list`,
    RESUME,
  ],
  stagnation: () => [LOOK, 'nothing was ticked off any more: make the open items of the plan smaller', RESUME],
  oscillation: () => [LOOK, 'the agent went back and forth between the same files: tell it which way is right', RESUME],
  'hollow-claims': () => [
    LOOK,
    'the agent said that it was done and the checks said no each time: mend what is listed as missing, or the check',
    RESUME,
  ],
  iterations: raise('max-iterations', 'iterations', 10),
  time: raise('max-minutes', 'minutes', 60),
  cost: raise('max-cost', 'usd', 1),
  tokens: raise('max-tokens', 'tokens', 100_000),
  unverifiable: () => [
    'no check could answer: name a test command with --test "...", or as commands.test in exitgate.config.yaml',
    'exitgate doctor shows which checks were found and what each needs',
  ],
  'needs-human': () => ['do what the agent says it cannot do, as named in the reason', RESUME],
  'low-confidence': () => [LOOK, 'the agent was not sure of its work: review it, or give it a clearer task', RESUME],
  errors: () => [LOOK, "the agent's output spoke of errors too often: mend their cause", RESUME],
  fatal: () => [
    'the agent cannot work here as it is set up; mend the reason named above',
    'exitgate doctor proves the setup',
    RESUME,
  ],
  interrupt: () => [RESUME],
}

export function nextSteps(end: RunEnd, state: State): readonly string[] {
  if (end.run === '') return ['exitgate run begins with the baseline again']
  if (!end.killed) return STEPS[end.ending](end, state)
  return ['the agent was ended in the middle of its work, and that iteration does not count', RESUME]
}
