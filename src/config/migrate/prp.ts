import { carry, fromEnvironment, type Reasons, type System, type Targets } from './carry.ts'
import { documents, readDocument } from './documents.ts'

const targets: Targets = {
  'hourly.limit': 'limits.callsPerHour',
  PRP_SESSION_DIR: 'prp.sessionDir',
  BP_RATE_LIMIT_HOURLY: 'limits.callsPerHour',
  // A session that ever reached QA belongs to someone who runs it.
  'phase_history.QA': ['prp.qa', () => true],
}

const reasons: Reasons = {
  current_phase: 'state, not configuration: give it as exitgate run --phase',
  prp_file: 'state, not configuration: give the task as exitgate run --task',
  green_model: 'the model is an option of the agent',
}

const loopFile = '.prp-session/loop-state.json'
const breakerFile = '.prp-session/circuit-breaker.json'
const rateFile = '.prp-session/rate-limit.json'
const files = [loopFile, breakerFile, rateFile]
const variables = ['PRP_SESSION_DIR', 'BP_RATE_LIMIT_HOURLY']

export const prp: System = {
  name: 'prp',
  files,
  signs: files,
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = documents(texts, [loopFile, rateFile], [targets, reasons])
    // The session files hold counters and clocks beside these few settings: a file is named once, not field by field.
    const told = settings.filter(({ name }) => Object.hasOwn(targets, name) || Object.hasOwn(reasons, name))
    const state = files
      .filter((file) => texts[file] !== undefined && readDocument(texts[file], file).error === undefined)
      .map((file) => `${file}: the rest of it is state, not configuration: a new run starts afresh`)
    return carry('prp', [...told, ...fromEnvironment(env, variables)], targets, reasons, [...notes, ...state])
  },
}
