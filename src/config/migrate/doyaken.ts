import { readAssignments } from './assignments.ts'
import { carry, fromEnvironment, type Reasons, type Setting, type System, type Targets } from './carry.ts'
import { documents } from './documents.ts'

const variableTargets: Targets = {
  ED_CONFIDENCE_THRESHOLD: 'doyaken.threshold',
  ED_LOW_CONFIDENCE_WARN: 'doyaken.lowConfidenceWarn',
  CB_ENABLED: 'breaker.enabled',
  CB_NO_PROGRESS_THRESHOLD: 'breaker.noProgress',
  CB_SAME_ERROR_THRESHOLD: 'breaker.sameError',
  CB_OUTPUT_DECLINE_PERCENT: 'breaker.outputDecline',
  CB_COOLDOWN_MINUTES: 'breaker.cooldownMinutes',
}
const variables = Object.keys(variableTargets)

const targets: Targets = {
  ...variableTargets,
  // The manifest sets variables too, under `env`.
  ...Object.fromEntries(Object.entries(variableTargets).map(([name, target]) => [`env.${name}`, target])),
  'circuit_breaker.enabled': 'breaker.enabled',
  'circuit_breaker.no_progress_threshold': 'breaker.noProgress',
  'circuit_breaker.same_error_threshold': 'breaker.sameError',
  'circuit_breaker.output_decline_percent': 'breaker.outputDecline',
  'circuit_breaker.cooldown_minutes': 'breaker.cooldownMinutes',
  'quality.test_command': 'commands.test',
  'quality.lint_command': 'commands.lint',
  'quality.build_command': 'commands.build',
}

const reasons: Reasons = {
  'agent*': 'the agent is chosen on the command line: exitgate run --agent NAME',
  'defaults*': 'the agent is chosen on the command line: exitgate run --agent NAME',
  'timeouts*': 'an iteration has one deadline for all phases: breaker.timeoutMinutes',
  'skip_phases*': 'the doyaken preset judges iterations and has no phases to skip',
  'quality.*': 'exitgate runs tests, build, lint and type checks',
  'env.*': 'variables of the agent: set them where you start exitgate',
  'project*': 'a name only',
  'version*': 'a version of that file only',
  'git*': 'exitgate reads the repository itself',
}

const documentFiles = ['.doyaken/config/global.yaml', '.doyaken/manifest.yaml']
const shellFiles = ['.env', '.doyaken/.env']

export const doyaken: System = {
  name: 'doyaken',
  files: [...documentFiles, ...shellFiles],
  signs: documentFiles,
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = documents(texts, documentFiles, [targets, reasons])
    const all = [...settings.filter(({ value }) => value !== null), ...shellFiles.flatMap((file) => known(texts, file))]
    return carry('doyaken', [...all, ...fromEnvironment(env, variables)], targets, reasons, notes)
  },
}

/** An .env file holds other people's secrets: only our variables are looked at, and nothing else is repeated. */
function known(texts: Readonly<Record<string, string>>, file: string): readonly Setting[] {
  const { settings } = readAssignments(texts[file] ?? '')
  return settings.filter(({ name }) => variables.includes(name)).map((setting) => ({ ...setting, from: file }))
}
