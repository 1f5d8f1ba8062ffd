import { fromEnvironment, migrateSettings, type OldTool, type Reasons, type Setting, type Targets } from './carry.ts'
import { documents } from './documents.ts'

const targets: Targets = {
  'exit_gate.enabled': 'cub.enabled',
  'exit_gate.indicator_threshold': 'cub.threshold',
  'exit_gate.require_explicit_signal': 'cub.requireExplicitSignal',
  'exit_gate.evidence_checks.tests': 'cub.evidence.tests',
  'exit_gate.evidence_checks.build': 'cub.evidence.build',
  'exit_gate.evidence_checks.acceptance_criteria': 'cub.evidence.criteria',
  'exit_gate.evidence_checks.clean_git': 'cub.evidence.cleanGit',
  'exit_gate.patterns': 'cub.patterns',
  'circuit_breaker.enabled': 'breaker.enabled',
  'circuit_breaker.timeout_minutes': 'breaker.timeoutMinutes',
  'circuit_breaker.activity_timeout_minutes': 'breaker.activityTimeoutMinutes',
  'stagnation.threshold': 'breaker.gateBlocked',
  'stagnation.action': ['breaker.onOpen', (value) => ({ abort: 'stop', pause: 'wait' })[String(value)] ?? value],
  'stagnation.signals.no_file_changes': 'breaker.noProgress',
  'stagnation.signals.repeated_errors': 'breaker.sameError',
  'guardrails.max_run_iterations': 'limits.iterations',
  'loop.max_iterations': 'limits.iterations',
  'guardrails.max_task_iterations': 'sameTask',
  'budget.max_total_cost': 'limits.usd',
  CUB_EXIT_THRESHOLD: 'cub.threshold',
  CUB_STAGNATION_THRESHOLD: 'breaker.gateBlocked',
  CUB_CIRCUIT_BREAKER_ENABLED: 'breaker.enabled',
  CUB_CIRCUIT_BREAKER_TIMEOUT: 'breaker.timeoutMinutes',
  CUB_CIRCUIT_BREAKER_ACTIVITY_TIMEOUT: 'breaker.activityTimeoutMinutes',
}

const reasons: Reasons = {
  'harness*': 'choose the agent with exitgate run --agent NAME',
  'budget.*': 'exitgate limits the whole run, not each task: use limits.tokens and limits.usd',
  'guardrails.*': 'exitgate has no such guardrail',
  'state*': 'exitgate records a baseline before the run instead of refusing to start',
  'hooks*': 'exitgate has no lifecycle hooks',
  'stagnation.*': "an open breaker stops the run or waits; it doesn't change the model, notify or reopen tasks",
  project_id: 'a name only',
}

/** `.cub/config.json` replaced `.cub.json`, so it overrides it. */
const files = ['.cub.yaml', '.cub.json', '.cub/config.json']
const variables = Object.keys(targets).filter((name) => name.startsWith('CUB_'))

export const cub: OldTool = {
  name: 'cub',
  files,
  markers: files,
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = documents(texts, files, [targets, reasons])
    const all = strictestCap(signalsAsCounts(settings))
    return migrateSettings('cub', [...all, ...fromEnvironment(env, variables)], targets, reasons, notes)
  },
}

/** cub turns signals on and off and has one threshold for all. exitgate has one count per signal, and 0 turns it off. */
function signalsAsCounts(settings: readonly Setting[]): readonly Setting[] {
  const threshold = settings.findLast(({ name }) => name === 'stagnation.threshold')?.value ?? 3
  return settings.map((setting) => {
    const isSignal = /^stagnation\.signals\.(?:no_file_changes|repeated_errors)$/.test(setting.name)
    return isSignal && typeof setting.value === 'boolean'
      ? { ...setting, value: setting.value ? threshold : 0 }
      : setting
  })
}

/** cub enforces both limits, so the smaller one ends the run. It goes last and wins. */
function strictestCap(settings: readonly Setting[]): readonly Setting[] {
  const isCap = ({ name }: Setting): boolean => targets[name] === 'limits.iterations'
  const caps = settings.filter(isCap).sort((a, b) => Number(b.value) - Number(a.value))
  return [...settings.filter((setting) => !isCap(setting)), ...caps]
}
