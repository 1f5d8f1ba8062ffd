import { assigned, carry, fromEnvironment, type Reasons, type System, type Targets } from './carry.ts'

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
  MAX_TOKENS_PER_HOUR: 'exitgate counts the tokens of the whole run: limits.tokens',
  CLAUDE_TIMEOUT_MINUTES: 'here a timeout opens the breaker, in Ralph it only ended the loop: breaker.timeoutMinutes',
  CB_OUTPUT_DECLINE_THRESHOLD: 'Ralph never read it; breaker.outputDecline does this',
  TEST_PERCENTAGE_THRESHOLD: 'Ralph never read it',
  FIX_PLAN_FILE: 'Ralph never read it; the plan is the file that exists',
  'SESSION_*': 'sessions belong to the agent: give it its own options',
  'CLAUDE_*': 'options of the agent: give them on its command line',
  'SANDBOX_*': 'the agent runs where exitgate is started',
  'SYNC_*': 'the agent runs where exitgate is started',
  'GITHUB_*': 'tasks come from the plan',
  TASK_SOURCES: 'tasks come from the plan',
  BEADS_FILTER: 'tasks come from the plan',
  'PROJECT_*': 'a name only',
  PROMPT_FILE: 'the prompt is given to exitgate run',
  RALPH_VERBOSE: 'see --quiet and --json',
}

const configFile = '.ralphrc'
/** The newest layout first: the first plan that exists is the plan. */
const plans = ['.ralph/fix_plan.md', '.ralph/@fix_plan.md', '@fix_plan.md']
const variables = Object.keys(targets).filter((name) => name !== 'plan')

export const ralph: System = {
  name: 'ralph',
  files: [configFile, ...plans],
  signs: [configFile, '.ralph/fix_plan.md'],
  variables,
  migrate: (texts, env) => {
    const { settings, notes } = assigned(texts, configFile)
    const file = plans.find((name) => texts[name] !== undefined)
    const plan = file === undefined ? [] : [{ name: 'plan', value: file, from: file }]
    return carry('ralph', [...settings, ...plan, ...fromEnvironment(env, variables)], targets, reasons, notes)
  },
}
