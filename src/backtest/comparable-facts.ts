import type { Config } from '../core/config.ts'
import type { Facts, Observation, Policy } from '../core/types.ts'

/** A configuration and its policy. */
export interface ConfigWithPolicy {
  readonly config: Config
  readonly policy: Policy
}

/** A recorded iteration as the alternative would have seen it, or why that is unknown. */
export type Seen = (observation: Observation) => Observation | string

/**
 * Which recorded facts are still valid with another configuration. Statements and evidence are, if they would have been read and
 * collected the same way. Checks the alternative doesn't run are removed. Everything else is unknown.
 */
export function comparableFacts(recorded: ConfigWithPolicy, other: ConfigWithPolicy): Seen {
  const then = { ...recorded, config: { ...sectionsOf(other.config), ...recorded.config } }
  const why = phases(then, other) ?? reading(then, other) ?? agent(then, other) ?? checks(then, other)
  if (why !== undefined) return () => why
  const droppedChecks = dropped(then, other)
  const patterns = new Set(other.policy.reading.patterns)
  const hasFewerPatterns = (then.policy.reading.patterns ?? []).some((pattern) => !patterns.has(pattern))
  const stalls = stallsDiffer(then.config, other.config)
  const taskDone = asks(other, 'task-done') && !asks(then, 'task-done')
  return (seen) => {
    if (stalls && (seen.failed !== undefined || seen.stalled !== undefined))
      return 'agents that time out would have counted differently (breaker.timeoutMinutes)'
    if (taskDone && seen.task !== undefined && seen.evidence['task-done'] === undefined)
      return 'the check "task-done" did not run'
    const filtered = hasFewerPatterns ? phrasesOf(seen, patterns) : seen
    return droppedChecks.some((name) => name in filtered.evidence) ? withoutChecks(filtered, droppedChecks) : filtered
  }
}

/** A run of an earlier release lacks newer sections, so their defaults apply. */
const sectionsOf = (config: Config): Partial<Config> =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => typeof value === 'object'))

/** A phase added or removed at the end doesn't affect earlier iterations. */
function phases(
  { policy: { phases: then = [] } }: ConfigWithPolicy,
  { policy: { phases: other = [] } }: ConfigWithPolicy,
) {
  const common = Math.min(then.length, other.length)
  const samePhasesSoFar = then.slice(0, common).every((phase, i) => phase === other[i])
  if (samePhasesSoFar && (common > 0 || then.length === other.length)) return undefined
  return then.length === 0 ? 'the run had no phases' : 'the run had other phases'
}

function reading(
  { policy: { reading: then } }: ConfigWithPolicy,
  { policy: { reading: other } }: ConfigWithPolicy,
): string | undefined {
  if (then.promise !== other.promise) return 'the run expected another text in the promise tag (promise)'
  const known = new Set(then.patterns)
  const missing = (other.patterns ?? []).find((pattern) => !known.has(pattern))
  return missing === undefined ? undefined : `the run did not look for the pattern ${JSON.stringify(missing)}`
}

/** Another agent, or the same one with other settings, would have done other work. */
const AGENT = [
  'agent',
  'command',
  'agentArgs',
  'fallbackAgent',
  'fallbackModel',
  'fallbackArgs',
  'permissions',
  'prompt',
  'setup',
  'mcp',
  'format',
  'prices',
  'iterationMinutes',
  'silenceMinutes',
  'continueSession',
  'maxWaitMinutes',
  'overloadRetries',
] as const satisfies readonly (keyof Config['run'])[]

function agent(
  { config: { run: then } }: ConfigWithPolicy,
  { config: { run: other } }: ConfigWithPolicy,
): string | undefined {
  const key = AGENT.find((name) => !sameValue(then[name], other[name]))
  return key === undefined ? undefined : `the agent ran with another run.${key}`
}

/** For each check, the settings that decide whether and how it runs. Undefined if it doesn't run. */
function checkSettings(configured: ConfigWithPolicy): Readonly<Record<string, unknown>> {
  const { evidence, commands, baseline, plan, optionalSections } = configured.config
  const { checks } = configured.policy
  const { quarantine, allow, artifacts, review, proof, expects, requirements } = evidence
  return {
    // Journals of older versions have no clean room, which `auto` does not contradict.
    'any check': [evidence.maximumMinutes, evidence.passEnv, evidence.cleanRoom ?? 'auto', evidence.include ?? []],
    tests: [
      [commands.test, evidence.reset],
      Math.max(evidence.confirmRuns, checks.confirmRuns ?? 0),
      quarantine,
      baseline.accept,
      baseline.acceptFailing === true,
      evidence.canary !== false,
      commands.quick,
      evidence.quickAfterMinutes ?? 2,
      evidence.confirmAllMinutes,
    ],
    tampering: [allow, evidence.changedTests ?? 'report', expects === 'refactor'],
    build: commands.build,
    lint: commands.lint,
    typecheck: commands.typecheck,
    checklist: plan === undefined ? undefined : [plan, optionalSections, checks.plan.plansOnly],
    artifacts: artifacts.length === 0 ? undefined : artifacts,
    criteria: asks(configured, 'criteria') ? true : undefined,
    documents: checks.documents ?? (evidence.documents ? true : undefined),
    examples: evidence.examples,
    review,
    'special-cased':
      asks(configured, 'special-cased') && onIf(evidence.specialCased) !== undefined
        ? [evidence.specialCased]
        : undefined,
    // Whether it is required decides what it answers.
    mutation: onIf(evidence.mutation ?? 'off') && [
      evidence.mutationMinutes,
      configured.config.required.includes('mutation'),
    ],
    proven: [proof, expects, requirements],
    'required proof': proof === 'report' ? undefined : checks.proof,
  }
}

const onIf = (mode: string | undefined) => (mode === 'off' ? undefined : mode)

const asks = ({ policy }: ConfigWithPolicy, check: string): boolean => policy.checks.also.includes(check)

function checks(then: ConfigWithPolicy, other: ConfigWithPolicy): string | undefined {
  const before = checkSettings(then)
  const found = Object.entries(checkSettings(other)).find(
    ([name, how]) => how !== undefined && how !== null && !sameValue(before[name], how),
  )
  if (found === undefined) return undefined
  const [name] = found
  if (name === 'any check')
    return 'checks ran with other settings (evidence.maximumMinutes, passEnv, cleanRoom or include)'
  return before[name] === undefined ? `the check "${name}" did not run` : `the check "${name}" ran with other settings`
}

function dropped(then: ConfigWithPolicy, other: ConfigWithPolicy): readonly string[] {
  const now = checkSettings(other)
  return Object.entries(checkSettings(then)).flatMap(([name, how]) =>
    how !== undefined && now[name] === undefined ? [name] : [],
  )
}

function stallsDiffer({ breaker: then }: Config, { breaker: other }: Config): boolean {
  return !sameValue(
    [then.timeoutMinutes, then.activityTimeoutMinutes],
    [other.timeoutMinutes, other.activityTimeoutMinutes],
  )
}

const USER = 'user:'

function phrasesOf(seen: Observation, asked: ReadonlySet<string>): Observation {
  const phrases = seen.signals.phrases.filter(
    (phrase) => !phrase.startsWith(USER) || asked.has(phrase.slice(USER.length)),
  )
  return { ...seen, signals: { ...seen.signals, phrases } }
}

function withoutChecks(seen: Observation, names: readonly string[]): Observation {
  const evidence = Object.fromEntries(Object.entries(seen.evidence).filter(([name]) => !names.includes(name)))
  return { ...seen, evidence }
}

const sameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** The prompt didn't describe the alternative's dialect, so the agent's silence in it means nothing. */
export function isUnprompted(facts: Facts, then: Policy, other: Policy): boolean {
  // A preset can add a request to the status format of another one.
  if (then.prompt.startsWith(other.prompt) || other.prompt.startsWith(then.prompt)) return false
  return other.claim(facts).answer === 'unknown' && !hearsEveryDialect(facts, other)
}

function hearsEveryDialect(facts: Facts, policy: Policy): boolean {
  const signals = { ...facts.signals, claim: true, source: 'another', claims: { another: true }, said: {} }
  return policy.claim({ ...facts, signals }).answer === 'yes'
}
