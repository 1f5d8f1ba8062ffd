import type { FailureCause } from '../core/failure-cause.ts'
import type { State } from '../core/journal/events.ts'
import { LAUNCHERS } from './launch/index.ts'

/** What the advice depends on. */
type Situation = Pick<State, 'config'> & { readonly ended?: { readonly waitMinutes?: number } }
type Steps = (situation: Situation) => readonly string[]

const TRY = 'Start the agent yourself with the same arguments to see the error.'
const FALLBACK = 'With `--fallback-agent NAME` another agent works in the meantime.'

/** How to log in to the configured agent. */
function logIn({ config }: Situation): string {
  const launcher = LAUNCHERS.find(({ name }) => name === config?.run.agent)
  const [program] = launcher?.programs ?? []
  const [variable] = launcher?.login.shownBy?.variables ?? []
  if (program === undefined) return 'Log in to the agent, or set its API key where you start exitgate.'
  return `Run \`${program}\` once and log in${variable === undefined ? '' : `, or set ${variable} where you start exitgate`}.`
}

const raised = (minutes: number | undefined): number => Math.ceil(2 * (minutes ?? 1))

/** What you can do about an error of the agent. */
const STEPS: Readonly<Record<FailureCause, Steps>> = {
  login: (state) => [logIn(state)],
  payment: () => ["Add credit to the provider's account, or change the plan.", FALLBACK],
  setup: () => [
    `Fix the agent's arguments after \`--\`, its settings or its login. ${TRY}`,
    '`exitgate doctor` checks your setup.',
  ],
  model: () => ['Choose a model that your account can use. Most agents take it as `-- --model NAME`.'],
  limit: ({ config, ended }) => [
    `Continue when the limit is over, or wait longer: \`exitgate run --resume --max-wait ${ended?.waitMinutes ?? raised(config?.run.maxWaitMinutes)}\`.`,
    FALLBACK,
  ],
  outage: ({ config }) => [
    "Check the provider's status page and your network.",
    `To wait longer: \`exitgate run --resume --max-wait ${raised(config?.run.maxWaitMinutes)}\`. ${FALLBACK}`,
  ],
  refusal: () => ['The model refuses this task. Reword the prompt, or use another model.'],
  time: ({ config }) => [
    `Give each iteration more time: \`exitgate run --resume --iteration-minutes ${raised(config?.run.iterationMinutes)}\`. Or make the task smaller.`,
  ],
  silence: () => [`The agent hangs. ${TRY}`, 'If it works without printing anything, raise --silence-minutes.'],
  runaway: () => ['Make the prompt or the session shorter, or use a model with a larger context.', TRY],
  turns: () => ['Raise the turn limit in the arguments after `--`, or pass --continue-session.'],
  budget: () => ["Raise the agent's budget in the arguments after `--`, or pass --continue-session."],
  length: () => ["Raise the agent's limit for output tokens, or ask for smaller steps."],
  cut: () => [`The agent's output broke off. ${TRY}`],
  empty: () => ['The model sent no answer. Check for a proxy in between, or use another model.'],
  request: () => [
    "The provider rejects the agent's requests. Check for a proxy in between, and make the prompt or the session shorter.",
    TRY,
  ],
  crash: () => [TRY],
}

export const errorAdvice = (cause: FailureCause, state: Situation): readonly string[] => STEPS[cause](state)
