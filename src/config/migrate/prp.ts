import { fromEnvironment, migrateSettings, type OldTool, type Reasons, type Targets } from './carry.ts'
import { documents, readDocument } from './documents.ts'

const targets: Targets = {
  'hourly.limit': 'limits.callsPerHour',
  PRP_SESSION_DIR: 'prp.sessionDir',
  BP_RATE_LIMIT_HOURLY: 'limits.callsPerHour',
  // A session that reached QA before is one where QA is in use.
  'phase_history.QA': ['prp.qa', () => true],
}

const reasons: Reasons = {
  current_phase: 'this is state, not configuration: exitgate run --resume continues there',
  prp_file: 'this is state, not configuration: pass the task with exitgate run --task',
  green_model: 'choose the model with an option of the agent',
}

const loopFile = '.prp-session/loop-state.json'
const breakerFile = '.prp-session/circuit-breaker.json'
const rateFile = '.prp-session/rate-limit.json'
const files = [loopFile, breakerFile, rateFile]
const variables = ['PRP_SESSION_DIR', 'BP_RATE_LIMIT_HOURLY']

export const prp: OldTool = {
  name: 'prp',
  files,
  markers: files,
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = documents(texts, [loopFile, rateFile], [targets, reasons])
    // The session files also contain counters and timestamps. Each file is reported once, not field by field.
    const relevant = settings.filter(({ name }) => Object.hasOwn(targets, name) || Object.hasOwn(reasons, name))
    const state = files
      .filter((file) => texts[file] !== undefined && readDocument(texts[file], file).error === undefined)
      .map((file) => `${file}: the rest is state, not configuration: only exitgate run --resume reads it`)
    return migrateSettings('prp', [...relevant, ...fromEnvironment(env, variables)], targets, reasons, [
      ...notes,
      ...state,
    ])
  },
}
