import { fromEnvironment, migrateSettings, type OldTool, type Reasons, readShellFile, type Targets } from './carry.ts'

const targets: Targets = {
  MAX_ITERATIONS: 'limits.iterations',
  TIMEOUT_HOURS: ['limits.minutes', (hours) => (typeof hours === 'number' ? hours * 60 : hours)],
  CIRCUIT_BREAKER_THRESHOLD: 'breaker.failures',
  STUCK_THRESHOLD: 'sameTask',
  ROADMAP_FILE: 'plan',
  roadmap: 'plan',
}

const reasons: Reasons = {
  GSD_MODE: 'exitgate prompts only in a terminal; otherwise breaker.onOpen decides',
}

const configFile = '.planning/.ralph-config'
const roadmap = '.planning/ROADMAP.md'
const variables = ['MAX_ITERATIONS', 'TIMEOUT_HOURS', 'CIRCUIT_BREAKER_THRESHOLD', 'STUCK_THRESHOLD', 'ROADMAP_FILE']

export const gsd: OldTool = {
  name: 'gsd',
  files: [configFile, roadmap],
  markers: [configFile, roadmap],
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = readShellFile(texts, configFile)
    const plan = texts[roadmap] === undefined ? [] : [{ name: 'roadmap', value: roadmap, from: roadmap }]
    return migrateSettings('gsd', [...settings, ...plan, ...fromEnvironment(env, variables)], targets, reasons, notes)
  },
}
