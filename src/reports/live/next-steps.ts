import { errorAdvice } from '../../agents/error-advice.ts'
import { LAUNCHERS } from '../../agents/launch/index.ts'
import { changesToDecide, listedFindings } from '../../core/accepting.ts'
import type { LimitsConfig } from '../../core/config.ts'
import type { State } from '../../core/journal/events.ts'
import { remedies } from '../../core/policy/remedy.ts'
import type { RunEnd } from '../../core/run.ts'
import type { Ending } from '../../core/types.ts'

type Steps = (end: RunEnd, state: State) => readonly string[]

const EXPLAIN = '`exitgate explain` shows why the last iteration was not accepted.'
const LISTS = '`exitgate explain` lists what was verified.'
const RESUME = '`exitgate run --resume` continues where it stopped.'
const CLAIM_IT = 'All checks pass. If the work is done, `exitgate check --claim` verifies it.'
const ANSWER = 'Answer it with `exitgate say "YOUR ANSWER"`. The agent reads it in its next prompt.'
const RESET = '`exitgate reset --breaker` closes the circuit breaker, which stays open for later runs.'

/** A setting in the user's configuration file, or else in the one that `init` writes. */
export function settingIn(setting: string, file = 'exitgate.config.json'): string {
  return /(?:^|\/)package\.json$/.test(file) ? `exitgate.${setting} in ${file}` : `${setting} in ${file}`
}

/** After a limit, twice as much is a good start. */
const raise =
  (flag: string, name: keyof LimitsConfig, least: number): Steps =>
  (_end, state) => {
    const most = Math.max(least, 2 * (state.config?.limits[name] ?? least))
    return [EXPLAIN, ...knownSteps(state), `\`exitgate run --resume --${flag} ${most}\` continues with a higher limit.`]
  }

/** A higher limit does not help if only tests are left that failed before the run. */
const knownSteps = ({ previous, baseline }: State) =>
  remedies(previous?.evidence ?? {}, { baseline }).filter((each) => each.includes('--accept-failing'))

const MOST_IDS = 10

/** How to accept what keeps a run from completing. */
function acceptSteps({ outcome, rule }: RunEnd, { previous }: State): readonly string[] {
  const isAsked = rule === 'needs-accept' || rule === 'unproven'
  const ids = (isAsked ? listedFindings : changesToDecide)(previous?.evidence).map(({ id }) => id)
  if (outcome === 'completed' || ids.length === 0) return []
  const accept = `If ${rule === 'unproven' ? 'the task was done' : 'the change to the tests is right'}: \`exitgate accept ${ids.slice(0, MOST_IDS).join(' ')} --reason "..."\``
  if (!isAsked) return [`${accept}.`]
  const ifNot = rule === 'unproven' ? 'add the test' : 'undo it'
  return [`${accept}, then \`exitgate run --resume\`.`, `If not, ${ifNot} yourself, or tell the agent to, and resume.`]
}

/** The agent was denied a tool in the last iteration: how to allow it. */
function permissionSteps({ config, configFile, previous }: State): readonly string[] {
  const denied = previous?.signals.denials.at(-1)
  if (denied === undefined) return []
  const agent = config?.run.agent
  const isAcp = LAUNCHERS.find(({ name }) => name === agent)?.format === 'acp'
  return [
    isAcp
      ? `${agent} asked for ${denied}. Set ${settingIn('run.permissions', configFile)} to allow-edits or allow-all.`
      : `The agent was denied ${denied}. Allow it after \`--\`; \`exitgate help permissions\` lists the flags.`,
  ]
}

/** What you can do next, by the kind of end. */
const STEPS: Readonly<Record<Ending, Steps>> = {
  // Without git, this check has no answer.
  verified: (_end, { previous }) => [
    `Review ${previous?.evidence.clean?.answer === 'unknown' ? 'the changed files' : 'with `git diff`, then commit'}. ${LISTS}`,
  ],
  passed: () => [`Nothing shows that the task was done. Review with \`git diff\`, then commit. ${LISTS}`],
  unproven: () => [],
  threshold: () => [
    'This preset completes without full proof. Check what is listed as still needed.',
    '`exitgate run --preset default` requires claim and proof together.',
  ],
  forced: () => [
    'You ended this run by force, so nothing is verified.',
    '`exitgate check` checks the project as it is now.',
  ],
  breaker: (_end, state) => [
    EXPLAIN,
    ...permissionSteps(state),
    'Change the prompt, the task or the setup.',
    ...(state.config?.breaker.autoReset === false ? [RESET] : []),
    RESUME,
  ],
  'same-task': (end) => [
    EXPLAIN,
    `Split or reword the task${end.task === undefined ? '' : ` "${end.task}"`}, or skip it with \`exitgate skip\`.`,
    RESUME,
  ],
  stagnation: () => [EXPLAIN, 'No item was ticked for a while. Split the open items into smaller ones.', RESUME],
  oscillation: () => [EXPLAIN, 'The agent keeps undoing its own changes. Tell it which way is right.', RESUME],
  'hollow-claims': () => [EXPLAIN, 'Fix what is still needed, or the check if the check is wrong.', RESUME],
  iterations: raise('max-iterations', 'iterations', 10),
  time: raise('max-minutes', 'minutes', 60),
  cost: raise('max-cost', 'usd', 1),
  tokens: raise('max-tokens', 'tokens', 100_000),
  unverifiable: (_end, { configFile }) => [
    `Pass a test command with --test "...", or set ${settingIn('commands.test', configFile)}.`,
    '`exitgate doctor` lists the checks it found and what each one needs.',
  ],
  'needs-human': (end, state) =>
    end.rule === 'needs-accept'
      ? []
      : end.rule === 'asks-question'
        ? [ANSWER, RESUME]
        : ['Do what the agent is blocked by, or give it the permission it needs.', ...permissionSteps(state), RESUME],
  'low-confidence': () => [EXPLAIN, 'The agent was unsure. Review its work, or give it a clearer task.', RESUME],
  errors: () => [EXPLAIN, "The agent's output mentions too many errors. Fix their cause.", RESUME],
  fatal: () => ['Fix the problem named above. `exitgate doctor` checks your setup.', RESUME],
  interrupt: () => [RESUME],
}

/** An error of the agent has its own remedy. If the run is stuck or at a limit as well, both are listed. */
function stepsOf(end: RunEnd, state: State): readonly string[] {
  const { ending, outcome, cause } = end
  const steps = STEPS[ending](end, state)
  const advice = (of: typeof cause) => (of === undefined ? [] : errorAdvice(of, state))
  if (cause !== undefined && outcome !== 'stuck') return [...advice(cause), ...lastStep(end, advice(cause))]
  if (outcome !== 'stuck' && !LIMITS.includes(ending)) return steps
  const { claim, proof } = state.last?.verdict.gate ?? {}
  const onlyReport = proof === 'yes' && claim !== 'yes' ? [CLAIM_IT] : []
  return [...advice(state.previous?.failed?.cause), ...onlyReport, ...steps]
}

const LIMITS: readonly Ending[] = ['iterations', 'time', 'cost', 'tokens']

function lastStep({ cause }: RunEnd, steps: readonly string[]): readonly string[] {
  if (cause === 'setup' || cause === 'model') return ['Then start the run again with the right arguments.']
  return steps.some((step) => step.includes('--resume')) ? [] : [RESUME]
}

export function nextSteps(end: RunEnd, state: State): readonly string[] {
  if (end.run === '') return end.ending === 'breaker' ? [RESET] : ['`exitgate run` starts again with the baseline.']
  if (!end.killed) return [...stepsOf(end, state), ...acceptSteps(end, state)]
  return ['The agent was stopped in the middle of its work, so that iteration does not count.', RESUME]
}
