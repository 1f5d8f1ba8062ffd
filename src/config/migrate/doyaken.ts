import { readAssignments } from './assignments.ts'
import { fromEnvironment, migrateSettings, type OldTool, type Reasons, type Setting, type Targets } from './carry.ts'
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
  // The manifest also sets variables, under `env`.
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
  'agent*': 'choose the agent with exitgate run --agent NAME',
  'defaults*': 'choose the agent with exitgate run --agent NAME',
  'timeouts*': 'all phases share one time limit per iteration: breaker.timeoutMinutes',
  'skip_phases*': 'the doyaken preset decides per iteration, so there are no phases to skip',
  'quality.*': 'exitgate runs only tests, build, lint and type checks',
  'env.*': 'these variables are for the agent: set them in the shell that starts exitgate',
  'project*': 'a name only',
  'version*': 'this is only the version of that file',
  'git*': 'exitgate reads the git repository directly',
}

const documentFiles = ['.doyaken/config/global.yaml', '.doyaken/manifest.yaml']
const shellFiles = ['.env', '.doyaken/.env']

export const doyaken: OldTool = {
  name: 'doyaken',
  files: [...documentFiles, ...shellFiles],
  markers: documentFiles,
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = documents(texts, documentFiles, [targets, reasons])
    const all = [
      ...settings.filter(({ value }) => value !== null),
      ...shellFiles.flatMap((file) => knownVariables(texts, file)),
    ]
    return migrateSettings('doyaken', [...all, ...fromEnvironment(env, variables)], targets, reasons, notes)
  },
}

/** An .env file contains unrelated secrets, so only known variables are read and nothing else is shown. */
function knownVariables(texts: Readonly<Record<string, string>>, file: string): readonly Setting[] {
  const { settings } = readAssignments(texts[file] ?? '')
  return settings.filter(({ name }) => variables.includes(name)).map((setting) => ({ ...setting, from: file }))
}
