import { assigned, carry, fromEnvironment, type Reasons, type System, type Targets } from './carry.ts'

const targets: Targets = {
  MAX_ITERATIONS: 'limits.iterations',
  TIMEOUT_HOURS: ['limits.minutes', (hours) => (typeof hours === 'number' ? hours * 60 : hours)],
  CIRCUIT_BREAKER_THRESHOLD: 'breaker.failures',
  STUCK_THRESHOLD: 'sameTask',
  ROADMAP_FILE: 'plan',
  roadmap: 'plan',
}

const reasons: Reasons = {
  GSD_MODE: 'exitgate asks only at a terminal; otherwise breaker.onOpen decides',
}

const configFile = '.planning/.ralph-config'
const roadmap = '.planning/ROADMAP.md'
const variables = ['MAX_ITERATIONS', 'TIMEOUT_HOURS', 'CIRCUIT_BREAKER_THRESHOLD', 'STUCK_THRESHOLD', 'ROADMAP_FILE']

export const gsd: System = {
  name: 'gsd',
  files: [configFile, roadmap],
  signs: [configFile, roadmap],
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = assigned(texts, configFile)
    const plan = texts[roadmap] === undefined ? [] : [{ name: 'roadmap', value: roadmap, from: roadmap }]
    return carry('gsd', [...settings, ...plan, ...fromEnvironment(env, variables)], targets, reasons, notes)
  },
}
