import { describe, expect, it } from 'vitest'
import type { FileTexts, OldTool } from '../../src/config/migrate/carry.ts'
import { SYSTEMS } from '../../src/config/migrate/index.ts'
import { problemsOf } from '../../src/config/validate.ts'

const named = (name: string): OldTool => SYSTEMS.find((system) => system.name === name)!

interface Expected {
  readonly patch: object
  readonly carried: readonly string[]
  readonly noCounterpart: readonly string[]
}

const rows: [string, string, FileTexts, Readonly<Record<string, string>>, Expected][] = [
  [
    'cub: all gate settings',
    'cub',
    {
      '.cub.json': JSON.stringify({
        exit_gate: {
          enabled: true,
          indicator_threshold: 3,
          require_explicit_signal: false,
          evidence_checks: { tests: false, build: true, acceptance_criteria: false, clean_git: true },
          patterns: ['ready for review'],
        },
      }),
    },
    {},
    {
      patch: {
        preset: 'cub',
        cub: {
          enabled: true,
          threshold: 3,
          requireExplicitSignal: false,
          evidence: { tests: false, build: true, criteria: false, cleanGit: true },
          patterns: ['ready for review'],
        },
      },
      carried: [
        '.cub.json: exit_gate.enabled -> cub.enabled = true',
        '.cub.json: exit_gate.indicator_threshold -> cub.threshold = 3',
        '.cub.json: exit_gate.require_explicit_signal -> cub.requireExplicitSignal = false',
        '.cub.json: exit_gate.evidence_checks.tests -> cub.evidence.tests = false',
        '.cub.json: exit_gate.evidence_checks.build -> cub.evidence.build = true',
        '.cub.json: exit_gate.evidence_checks.acceptance_criteria -> cub.evidence.criteria = false',
        '.cub.json: exit_gate.evidence_checks.clean_git -> cub.evidence.cleanGit = true',
        '.cub.json: exit_gate.patterns -> cub.patterns = ["ready for review"]',
      ],
      noCounterpart: [],
    },
  ],
  [
    'cub: breaker, stagnation, limits and the rest',
    'cub',
    {
      '.cub.yaml':
        'circuit_breaker:\n  timeout_minutes: 40\n  activity_timeout_minutes: null\nstagnation:\n  threshold: 4\n  action: pause\n  signals:\n    no_file_changes: true\n    repeated_errors: false\n    task_timeout_iterations: 5\n',
      '.cub/config.json': JSON.stringify({
        guardrails: { max_run_iterations: 30, max_task_iterations: 5, secret_patterns: ['token'] },
        loop: { max_iterations: 100 },
        budget: { max_total_cost: 12.5, max_tokens_per_task: 9 },
        harness: { name: 'claude' },
        project_id: 'x',
        interview: { a: 1 },
      }),
    },
    { CUB_EXIT_THRESHOLD: '1' },
    {
      patch: {
        preset: 'cub',
        breaker: {
          timeoutMinutes: 40,
          activityTimeoutMinutes: null,
          gateBlocked: 4,
          onOpen: 'wait',
          noProgress: 4,
          sameError: 0,
        },
        sameTask: 5,
        limits: { usd: 12.5, iterations: 30 },
        cub: { threshold: 1 },
      },
      carried: [
        '.cub.yaml: circuit_breaker.timeout_minutes -> breaker.timeoutMinutes = 40',
        '.cub.yaml: circuit_breaker.activity_timeout_minutes -> breaker.activityTimeoutMinutes = null',
        '.cub.yaml: stagnation.threshold -> breaker.gateBlocked = 4',
        '.cub.yaml: stagnation.action -> breaker.onOpen = "wait"',
        '.cub.yaml: stagnation.signals.no_file_changes -> breaker.noProgress = 4',
        '.cub.yaml: stagnation.signals.repeated_errors -> breaker.sameError = 0',
        '.cub/config.json: guardrails.max_task_iterations -> sameTask = 5',
        '.cub/config.json: budget.max_total_cost -> limits.usd = 12.5',
        '.cub/config.json: guardrails.max_run_iterations -> limits.iterations = 30',
        'environment: CUB_EXIT_THRESHOLD -> cub.threshold = 1',
      ],
      noCounterpart: [
        ".cub.yaml: stagnation.signals.task_timeout_iterations = 5: an open breaker stops the run or waits; it doesn't change the model, notify or reopen tasks",
        '.cub/config.json: guardrails.secret_patterns: exitgate has no such guardrail',
        '.cub/config.json: budget.max_tokens_per_task = 9: exitgate limits the whole run, not each task: use limits.tokens and limits.usd',
        '.cub/config.json: harness: choose the agent with exitgate run --agent NAME',
        '.cub/config.json: project_id = "x": a name only',
        '.cub/config.json: interview: exitgate has no such setting',
      ],
    },
  ],
  [
    'cub: an unreadable file and invalid values',
    'cub',
    {
      '.cub.json': '{"exit_gate": ',
      '.cub/config.json': '{"exit_gate": {"indicator_threshold": "many"}, "stagnation": {"action": "escalate"}}',
    },
    {},
    {
      patch: { preset: 'cub' },
      carried: [],
      noCounterpart: [
        expect.stringMatching(/^\.cub\.json: this file can't be parsed, so nothing in it was migrated \(.*JSON.*\)$/),
        '.cub/config.json: exit_gate.indicator_threshold = "many": "cub.threshold" must be a whole number of at least 0, not "many"',
        '.cub/config.json: stagnation.action = "escalate": "breaker.onOpen" must be one of stop, wait, not "escalate"',
      ],
    },
  ],
  [
    'prp: a session',
    'prp',
    {
      '.prp-session/loop-state.json': JSON.stringify({
        session_id: 's1',
        prp_file: 'PRPs/x.md',
        current_phase: 'GREEN',
        current_iteration: 3,
        phase_history: { RED: { iterations: 2 }, QA: { iterations: 1 } },
      }),
      '.prp-session/circuit-breaker.json': '{"state": "OPEN", "no_progress_count": 2}',
      '.prp-session/rate-limit.json': '{"hourly": {"calls_made": 3, "limit": 60}, "paused": false}',
    },
    { PRP_SESSION_DIR: '.sessions' },
    {
      patch: { preset: 'prp', prp: { qa: true, sessionDir: '.sessions' }, limits: { callsPerHour: 60 } },
      carried: [
        '.prp-session/loop-state.json: phase_history.QA -> prp.qa = true',
        '.prp-session/rate-limit.json: hourly.limit -> limits.callsPerHour = 60',
        'environment: PRP_SESSION_DIR -> prp.sessionDir = ".sessions"',
      ],
      noCounterpart: [
        '.prp-session/loop-state.json: the rest is state, not configuration: only exitgate run --resume reads it',
        '.prp-session/circuit-breaker.json: the rest is state, not configuration: only exitgate run --resume reads it',
        '.prp-session/rate-limit.json: the rest is state, not configuration: only exitgate run --resume reads it',
        '.prp-session/loop-state.json: prp_file = "PRPs/x.md": this is state, not configuration: pass the task with exitgate run --task',
        '.prp-session/loop-state.json: current_phase = "GREEN": this is state, not configuration: exitgate run --resume continues there',
      ],
    },
  ],
  [
    'doyaken: global, manifest, .env and environment, later ones win',
    'doyaken',
    {
      '.doyaken/config/global.yaml':
        'version: 1\ndefaults:\n  agent: claude\ntimeouts:\n  plan: 900\ncircuit_breaker:\n  enabled: false\n  no_progress_threshold: 2\n  same_error_threshold: 4\n  output_decline_percent: 60\n  cooldown_minutes: 10\n',
      '.doyaken/manifest.yaml':
        'project:\n  name: x\nquality:\n  test_command: npm test\n  lint_command: npm run lint\n  format_command: npm run fmt\n  build_command:\ncircuit_breaker:\n  no_progress_threshold: 4\nenv:\n  ED_CONFIDENCE_THRESHOLD: 80\n  API_KEY: k\n',
      '.env': '# keys\nSECRET_KEY=do-not-print\nexport CB_COOLDOWN_MINUTES="7" # short\nED_CONFIDENCE_THRESHOLD=85\n',
    },
    { ED_CONFIDENCE_THRESHOLD: '90', ED_LOW_CONFIDENCE_WARN: '2' },
    {
      patch: {
        preset: 'doyaken',
        breaker: { enabled: false, noProgress: 4, sameError: 4, outputDecline: 60, cooldownMinutes: 7 },
        commands: { test: 'npm test', lint: 'npm run lint' },
        doyaken: { threshold: 90, lowConfidenceWarn: 2 },
      },
      carried: [
        '.doyaken/config/global.yaml: circuit_breaker.enabled -> breaker.enabled = false',
        '.doyaken/manifest.yaml: circuit_breaker.no_progress_threshold -> breaker.noProgress = 4',
        '.doyaken/config/global.yaml: circuit_breaker.same_error_threshold -> breaker.sameError = 4',
        '.doyaken/config/global.yaml: circuit_breaker.output_decline_percent -> breaker.outputDecline = 60',
        '.env: CB_COOLDOWN_MINUTES -> breaker.cooldownMinutes = 7',
        '.doyaken/manifest.yaml: quality.test_command -> commands.test = "npm test"',
        '.doyaken/manifest.yaml: quality.lint_command -> commands.lint = "npm run lint"',
        'environment: ED_CONFIDENCE_THRESHOLD -> doyaken.threshold = 90',
        'environment: ED_LOW_CONFIDENCE_WARN -> doyaken.lowConfidenceWarn = 2',
      ],
      noCounterpart: [
        '.doyaken/config/global.yaml: version = 1: this is only the version of that file',
        '.doyaken/config/global.yaml: defaults: choose the agent with exitgate run --agent NAME',
        '.doyaken/config/global.yaml: timeouts: all phases share one time limit per iteration: breaker.timeoutMinutes',
        '.doyaken/manifest.yaml: project: a name only',
        '.doyaken/manifest.yaml: quality.format_command = "npm run fmt": exitgate runs only tests, build, lint and type checks',
        '.doyaken/manifest.yaml: env.API_KEY: these variables are for the agent: set them in the shell that starts exitgate',
      ],
    },
  ],
  [
    'blackbox: engine, breaker and project',
    'blackbox',
    {
      'scripts/lib/exit-decision-engine/config.yaml':
        'min_confidence: 75      # minimum\nmin_completion: 80\nmax_errors: 5\nstagnation_loops: 3\n',
      'scripts/lib/circuit-breaker/config.yaml':
        'max_loops_no_progress: 12\nabsolute_max_loops: 25\nstagnation_threshold: 3\nloops_warning_threshold: 8\n',
      '.bb3/config.yaml':
        'project:\n  type: critical_feature\n  name: x\nexit_decision:\n  min_confidence: 80\n  min_completion: 90\n  stagnation_loops: 2\ncircuit_breaker:\n  cooldown_period_seconds: 300\n  projects:\n    critical_feature:\n      max_loops_no_progress: 18\n      stagnation_threshold: 2\n    __proto__:\n      max_loops_no_progress: 1\n    odd: 7\n',
    },
    {},
    {
      patch: {
        preset: 'blackbox',
        blackbox: { minConfidence: 80, minCompletion: 90, maxErrors: 5, stagnationLoops: 2 },
        breaker: { noProgress: 12, loops: 25 },
        taskType: 'critical_feature',
        taskTypes: { critical_feature: { breaker: { noProgress: 18 } } },
      },
      carried: [
        '.bb3/config.yaml: exit_decision.min_confidence -> blackbox.minConfidence = 80',
        '.bb3/config.yaml: exit_decision.min_completion -> blackbox.minCompletion = 90',
        'scripts/lib/exit-decision-engine/config.yaml: max_errors -> blackbox.maxErrors = 5',
        '.bb3/config.yaml: exit_decision.stagnation_loops -> blackbox.stagnationLoops = 2',
        'scripts/lib/circuit-breaker/config.yaml: max_loops_no_progress -> breaker.noProgress = 12',
        'scripts/lib/circuit-breaker/config.yaml: absolute_max_loops -> breaker.loops = 25',
        '.bb3/config.yaml: project.type -> taskType = "critical_feature"',
        '.bb3/config.yaml: circuit_breaker.projects.critical_feature.max_loops_no_progress -> taskTypes.critical_feature.breaker.noProgress = 18',
      ],
      noCounterpart: [
        'scripts/lib/circuit-breaker/config.yaml: stagnation_threshold = 3: exitgate counts ticked items instead of estimating a percentage from the output',
        'scripts/lib/circuit-breaker/config.yaml: loops_warning_threshold = 8: blackbox never used this value',
        '.bb3/config.yaml: project.name = "x": a name only',
        '.bb3/config.yaml: circuit_breaker.cooldown_period_seconds = 300: in this preset the breaker stays open until you reset it; set breaker.recovery to change that',
        '.bb3/config.yaml: circuit_breaker.projects.critical_feature.stagnation_threshold = 2: exitgate counts ticked items instead of estimating a percentage from the output',
        '.bb3/config.yaml: circuit_breaker.projects.__proto__.max_loops_no_progress = 1: exitgate has no such setting',
        '.bb3/config.yaml: circuit_breaker.projects.odd = 7: exitgate has no such setting',
      ],
    },
  ],
  [
    'gsd: the budget and the roadmap',
    'gsd',
    {
      '.planning/.ralph-config':
        '# GSD Ralph configuration\nMAX_ITERATIONS=30\nTIMEOUT_HOURS=4\nCIRCUIT_BREAKER_THRESHOLD=6\nSTUCK_THRESHOLD=2\nGSD_MODE=lazy\n',
      '.planning/ROADMAP.md': '- [ ] 01-01-PLAN.md\n',
    },
    { STUCK_THRESHOLD: 'often' },
    {
      patch: {
        preset: 'gsd',
        limits: { iterations: 30, minutes: 240 },
        breaker: { failures: 6 },
        sameTask: 2,
        plan: '.planning/ROADMAP.md',
      },
      carried: [
        '.planning/.ralph-config: MAX_ITERATIONS -> limits.iterations = 30',
        '.planning/.ralph-config: TIMEOUT_HOURS -> limits.minutes = 240',
        '.planning/.ralph-config: CIRCUIT_BREAKER_THRESHOLD -> breaker.failures = 6',
        '.planning/.ralph-config: STUCK_THRESHOLD -> sameTask = 2',
        '.planning/ROADMAP.md: roadmap -> plan = ".planning/ROADMAP.md"',
      ],
      noCounterpart: [
        '.planning/.ralph-config: GSD_MODE = "lazy": exitgate prompts only in a terminal; otherwise breaker.onOpen decides',
        'environment: STUCK_THRESHOLD = "often": "sameTask" must be a whole number of at least 1, not "often"',
      ],
    },
  ],
  [
    'ralph: a shell file is never executed',
    'ralph',
    {
      '.ralphrc': [
        '\uFEFF# Ralph',
        `PROJECT_NAME="\${PROJECT_NAME:-my-project}"`,
        "export MAX_CALLS_PER_HOUR='80'  # calls",
        'CB_NO_PROGRESS_THRESHOLD=4',
        `CB_SAME_ERROR_THRESHOLD=\${CB_SAME_ERROR_THRESHOLD:-6}`,
        'CB_COOLDOWN_MINUTES=$(curl http://127.0.0.1)',
        'CB_AUTO_RESET=true\r',
        'ALLOWED_TOOLS="Write,Read,Bash(git add *),Bash(npm *)"',
        'OPTIONAL_SECTIONS="Backlog, Someday"',
        'CLAUDE_TIMEOUT_MINUTES=15',
        'SESSION_CONTINUITY=true',
        'SANDBOX_E2B_TEMPLATE=""',
        'rm -rf "$HOME"',
        'MAX_CONSECUTIVE_DONE_SIGNALS=0',
      ].join('\n'),
      '.ralph/fix_plan.md': '- [ ] a\n',
    },
    {},
    {
      patch: {
        preset: 'ralph',
        limits: { callsPerHour: 80 },
        breaker: { noProgress: 4, sameError: 6, autoReset: true },
        ralph: { allowedTools: ['Write', 'Read', 'Bash(git add *)', 'Bash(npm *)'] },
        optionalSections: ['Backlog', 'Someday'],
        plan: '.ralph/fix_plan.md',
      },
      carried: [
        '.ralphrc: MAX_CALLS_PER_HOUR -> limits.callsPerHour = 80',
        '.ralphrc: CB_NO_PROGRESS_THRESHOLD -> breaker.noProgress = 4',
        '.ralphrc: CB_SAME_ERROR_THRESHOLD -> breaker.sameError = 6',
        '.ralphrc: CB_AUTO_RESET -> breaker.autoReset = true',
        '.ralphrc: ALLOWED_TOOLS -> ralph.allowedTools = ["Write","Read","Bash(git add *)","Bash(npm *)"]',
        '.ralphrc: OPTIONAL_SECTIONS -> optionalSections = ["Backlog","Someday"]',
        '.ralph/fix_plan.md: plan -> plan = ".ralph/fix_plan.md"',
      ],
      noCounterpart: [
        '.ralphrc:6: CB_COOLDOWN_MINUTES: only a shell can evaluate this value',
        '.ralphrc:13: not an assignment; exitgate never executes this file',
        '.ralphrc: PROJECT_NAME = "my-project": a name only',
        '.ralphrc: CLAUDE_TIMEOUT_MINUTES = "15": in Ralph a timeout only ended the loop; here it opens the breaker: breaker.timeoutMinutes',
        '.ralphrc: SESSION_CONTINUITY = "true": sessions are managed by the agent: use its own options',
        '.ralphrc: MAX_CONSECUTIVE_DONE_SIGNALS = "0": "ralph.doneSignals" must be a whole number of at least 1, not 0',
      ],
    },
  ],
  [
    'ralph: the older location of its plan',
    'ralph',
    { '@fix_plan.md': '' },
    {},
    {
      patch: { preset: 'ralph', plan: '@fix_plan.md' },
      carried: ['@fix_plan.md: plan -> plan = "@fix_plan.md"'],
      noCounterpart: [],
    },
  ],
]

describe('migration', () => {
  it.each(rows)('%s', (_, system, texts, env, expected) => {
    const migration = named(system).migrate(texts, env)
    expect(migration).toEqual(expected)
    expect(problemsOf(migration.patch)).toEqual([])
  })

  it('never changes Object.prototype', () => {
    expect(({} as Record<string, unknown>).breaker).toBeUndefined()
  })

  it.each(SYSTEMS)('$name has a target or a reason for every variable it reads', ({ migrate, variables }) => {
    const left = migrate({}, Object.fromEntries(variables.map((name) => [name, '1']))).noCounterpart
    expect(left.filter((line) => line.endsWith('exitgate has no such setting'))).toEqual([])
  })
})
