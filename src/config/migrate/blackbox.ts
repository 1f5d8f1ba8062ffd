import { isTree } from '../merge.ts'
import { migrateSettings, type OldTool, type Reasons, type Setting, type Targets } from './carry.ts'
import { documents } from './documents.ts'

const decision: Targets = {
  min_confidence: 'blackbox.minConfidence',
  min_completion: 'blackbox.minCompletion',
  max_errors: 'blackbox.maxErrors',
  stagnation_loops: 'blackbox.stagnationLoops',
}
const breaker: Targets = {
  max_loops_no_progress: 'breaker.noProgress',
  absolute_max_loops: 'breaker.loops',
}
const breakerReasons: Reasons = {
  stagnation_threshold: 'exitgate counts ticked items instead of estimating a percentage from the output',
  cooldown_period_seconds:
    'in this preset the breaker stays open until you reset it; set breaker.recovery to change that',
  loops_warning_threshold: 'blackbox never used this value',
  loops_critical_threshold: 'blackbox never used this value',
}

const withPrefix = <T>(prefix: string, table: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [`${prefix}.${name}`, value]))

const reasons: Reasons = {
  ...breakerReasons,
  ...withPrefix('circuit_breaker', breakerReasons),
  'project.*': 'a name only',
}

const engineFile = 'scripts/lib/exit-decision-engine/config.yaml'
const breakerFile = 'scripts/lib/circuit-breaker/config.yaml'
const projectFile = '.bb3/config.yaml'
const files = [engineFile, breakerFile, projectFile]

export const blackbox: OldTool = {
  name: 'blackbox',
  files,
  markers: files,
  variables: [],
  migrate: (texts) => {
    const known: Targets = {
      ...decision,
      ...breaker,
      ...withPrefix('exit_decision', decision),
      ...withPrefix('circuit_breaker', breaker),
      'project.type': 'taskType',
    }
    const { settings, notes } = documents(texts, files, [known, reasons])
    const split = settings.flatMap(perProject)
    const targets = { ...known, ...projectTargets(split) }
    return migrateSettings('blackbox', split, targets, { ...reasons, ...projectReasons(split) }, notes)
  },
}

/** `circuit_breaker.projects` sets limits per type of project. exitgate has task types for that. */
function perProject(setting: Setting): readonly Setting[] {
  if (setting.name !== 'circuit_breaker.projects' || !isTree(setting.value)) return [setting]
  return Object.entries(setting.value).flatMap(([type, limits]) =>
    isTree(limits)
      ? Object.entries(limits).map(([key, value]) => ({ ...setting, name: `${setting.name}.${type}.${key}`, value }))
      : [{ ...setting, name: `${setting.name}.${type}`, value: limits }],
  )
}

/** Excludes names that would reach an object's prototype. */
const PROJECT = /^circuit_breaker\.projects\.(?!__proto__\.)([\w -]+)\.(\w+)$/

function projectTargets(settings: readonly Setting[]): Targets {
  return Object.fromEntries(
    settings.flatMap(({ name }) => {
      const [, type, key] = PROJECT.exec(name) ?? []
      const target = key !== undefined && Object.hasOwn(breaker, key) ? breaker[key] : undefined
      return typeof target === 'string' ? [[name, `taskTypes.${type}.${target}`]] : []
    }),
  )
}

function projectReasons(settings: readonly Setting[]): Reasons {
  return Object.fromEntries(
    settings.flatMap(({ name }) => {
      const [, , key] = PROJECT.exec(name) ?? []
      return key !== undefined && Object.hasOwn(breakerReasons, key) ? [[name, breakerReasons[key]!]] : []
    }),
  )
}
