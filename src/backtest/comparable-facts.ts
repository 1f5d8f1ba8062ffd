import type { Config } from '../core/config.ts'
import type { Facts, Observation, Policy } from '../core/types.ts'

/** A configuration with the policy that it describes. */
export interface ConfigWithPolicy {
  readonly config: Config
  readonly policy: Policy
}

/** An iteration of the past as the alternative would have seen it; or why that cannot be told. */
export type Seen = (observation: Observation) => Observation | string

/**
 * What of the facts of the past stands under another configuration. Words and evidence stay as they were, as long as they would have
 * been read and gathered in the same way; a check that the alternative does not ask is taken out. All else cannot be told.
 */
export function comparableFacts(recorded: ConfigWithPolicy, other: ConfigWithPolicy): Seen {
  const then = { ...recorded, config: { ...sectionsOf(other.config), ...recorded.config } }
  const why = phases(then, other) ?? reading(then, other) ?? agent(then, other) ?? checks(then, other)
  if (why !== undefined) return () => why
  const left = dropped(then, other)
  const patterns = new Set(other.policy.reading.patterns)
  const asksLess = (then.policy.reading.patterns ?? []).some((pattern) => !patterns.has(pattern))
  const stalls = stallsApart(then.config, other.config)
  const taskDone = asks(other, 'task-done') && !asks(then, 'task-done')
  return (seen) => {
    if (stalls && (seen.failed !== undefined || seen.stalled !== undefined))
      return 'an agent that was cut off would have counted in another way (breaker.timeoutMinutes)'
    if (taskDone && seen.task !== undefined && seen.evidence['task-done'] === undefined)
      return 'the check "task-done" was not gathered'
    const heard = asksLess ? phrasesOf(seen, patterns) : seen
    return left.some((name) => name in heard.evidence) ? withoutChecks(heard, left) : heard
  }
}

/** A run of an earlier release lacks the sections that came since, and nobody asked for anything else there. */
const sectionsOf = (config: Config): Partial<Config> =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => typeof value === 'object'))

/** A phase more or less at the end is nothing that the iterations before it could know. */
function phases(
  { policy: { phases: then = [] } }: ConfigWithPolicy,
  { policy: { phases: other = [] } }: ConfigWithPolicy,
) {
  const common = Math.min(then.length, other.length)
  const alikeSoFar = then.slice(0, common).every((phase, i) => phase === other[i])
  if (alikeSoFar && (common > 0 || then.length === other.length)) return undefined
  return then.length === 0 ? 'the run was not led through phases' : 'the run was led through other phases'
}

function reading(
  { policy: { reading: then } }: ConfigWithPolicy,
  { policy: { reading: other } }: ConfigWithPolicy,
): string | undefined {
  if (then.promise !== other.promise) return 'another text inside the promise tag was listened for (promise)'
  const known = new Set(then.patterns)
  const missing = (other.patterns ?? []).find((pattern) => !known.has(pattern))
  return missing === undefined ? undefined : `the pattern ${JSON.stringify(missing)} was not looked for`
}

/** Another agent, or the same one on other terms, would have done other work. */
const AGENT = [
  'agent',
  'command',
  'agentArgs',
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
  const key = AGENT.find((name) => !alike(then[name], other[name]))
  return key === undefined ? undefined : `the agent ran on other terms (run.${key})`
}

/** By check: the values that say whether and how it is gathered. Undefined is not at all. */
function gathering(ruled: ConfigWithPolicy): Readonly<Record<string, unknown>> {
  const { evidence, commands, baseline, plan, optionalSections } = ruled.config
  const { checks } = ruled.policy
  const { confirmRuns, quarantine, allow, artifacts, review, redProof } = evidence
  const runs = Math.max(confirmRuns, checks.confirmRuns ?? 0)
  return {
    'any check': [evidence.maximumMinutes, evidence.passEnv],
    tests: [commands.test, runs, quarantine, baseline.accept, baseline.acceptFailing === true],
    tampering: [allow],
    build: commands.build,
    lint: commands.lint,
    typecheck: commands.typecheck,
    checklist: plan === undefined ? undefined : [plan, optionalSections, checks.plan.plansOnly],
    artifacts: artifacts.length === 0 ? undefined : artifacts,
    criteria: asks(ruled, 'criteria') ? true : undefined,
    documents: checks.documents ?? (evidence.documents ? true : undefined),
    review,
    'red-proof': redProof ? true : undefined,
  }
}

const asks = ({ policy }: ConfigWithPolicy, check: string): boolean => policy.checks.also.includes(check)

function checks(then: ConfigWithPolicy, other: ConfigWithPolicy): string | undefined {
  const before = gathering(then)
  const found = Object.entries(gathering(other)).find(
    ([name, how]) => how !== undefined && how !== null && !alike(before[name], how),
  )
  if (found === undefined) return undefined
  const [name] = found
  if (name === 'any check') return 'evidence was gathered in another way (evidence.maximumMinutes, evidence.passEnv)'
  return before[name] === undefined
    ? `the check "${name}" was not gathered`
    : `the check "${name}" was gathered in another way`
}

function dropped(then: ConfigWithPolicy, other: ConfigWithPolicy): readonly string[] {
  const now = gathering(other)
  return Object.entries(gathering(then)).flatMap(([name, how]) =>
    how !== undefined && now[name] === undefined ? [name] : [],
  )
}

function stallsApart({ breaker: then }: Config, { breaker: other }: Config): boolean {
  return !alike(
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

const alike = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other)

/** What nobody asked the agent for it could not say: its silence in a dialect of the alternative tells nothing. */
export function isUnprompted(facts: Facts, then: Policy, other: Policy): boolean {
  if (then.prompt === other.prompt) return false
  return other.claim(facts).answer === 'unknown' && !hearsEveryDialect(facts, other)
}

function hearsEveryDialect(facts: Facts, policy: Policy): boolean {
  const signals = { ...facts.signals, claim: true, source: 'another', claims: { another: true }, said: {} }
  return policy.claim({ ...facts, signals }).answer === 'yes'
}
