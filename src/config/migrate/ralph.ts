import { fromEnvironment, migrateSettings, type OldTool, type Reasons, readShellFile, type Targets } from './carry.ts'

const targets: Targets = {
  MAX_CALLS_PER_HOUR: 'limits.callsPerHour',
  CB_NO_PROGRESS_THRESHOLD: 'breaker.noProgress',
  CB_SAME_ERROR_THRESHOLD: 'breaker.sameError',
  CB_PERMISSION_DENIAL_THRESHOLD: 'breaker.denials',
  CB_COOLDOWN_MINUTES: 'breaker.cooldownMinutes',
  CB_AUTO_RESET: 'breaker.autoReset',
  MAX_CONSECUTIVE_TEST_LOOPS: 'ralph.testOnlyLoops',
  MAX_CONSECUTIVE_DONE_SIGNALS: 'ralph.doneSignals',
  ALLOWED_TOOLS: 'ralph.allowedTools',
  CLAUDE_ALLOWED_TOOLS: 'ralph.allowedTools',
  OPTIONAL_SECTIONS: 'optionalSections',
  plan: 'plan',
}

const reasons: Reasons = {
  MAX_TOKENS_PER_HOUR: 'exitgate limits the tokens of the whole run: limits.tokens',
  CLAUDE_TIMEOUT_MINUTES: 'in Ralph a timeout only ended the loop; here it opens the breaker: breaker.timeoutMinutes',
  CB_OUTPUT_DECLINE_THRESHOLD: 'Ralph never used this value; breaker.outputDecline does what it describes',
  TEST_PERCENTAGE_THRESHOLD: 'Ralph never used this value',
  FIX_PLAN_FILE: 'Ralph never used this value; exitgate uses the plan file that exists',
  'SESSION_*': 'sessions are managed by the agent: use its own options',
  'CLAUDE_*': 'these are options of the agent: pass them after --',
  'SANDBOX_*': 'the agent runs in the folder where you start exitgate',
  'SYNC_*': 'the agent runs in the folder where you start exitgate',
  'GITHUB_*': 'exitgate reads tasks from the plan',
  TASK_SOURCES: 'exitgate reads tasks from the plan',
  BEADS_FILTER: 'exitgate reads tasks from the plan',
  'PROJECT_*': 'a name only',
  PROMPT_FILE: 'pass the prompt to exitgate run',
  RALPH_VERBOSE: 'use --quiet or --json',
}

const configFile = '.ralphrc'
/** Newest layout first. The first file that exists is the plan. */
const plans = ['.ralph/fix_plan.md', '.ralph/@fix_plan.md', '@fix_plan.md']
const variables = Object.keys(targets).filter((name) => name !== 'plan')

export const ralph: OldTool = {
  name: 'ralph',
  files: [configFile, ...plans],
  markers: [configFile, '.ralph/fix_plan.md'],
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = readShellFile(texts, configFile)
    const file = plans.find((name) => texts[name] !== undefined)
    const plan = file === undefined ? [] : [{ name: 'plan', value: file, from: file }]
    return migrateSettings('ralph', [...settings, ...plan, ...fromEnvironment(env, variables)], targets, reasons, notes)
  },
}
