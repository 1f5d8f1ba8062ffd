import * as v from 'valibot'
import {
  above0,
  above0OrNone,
  choice,
  entries,
  FROM_0,
  flag,
  number,
  openSection,
  percentOrNone,
  section,
  text,
  textOrNone,
  texts,
  threshold,
  times,
  timesOrNone,
  whole,
} from './schema-fields.ts'

// The sections of a configuration file, in its order.

export function limitsSection() {
  return section('Where a run ends at the latest.', {
    iterations: timesOrNone('Iterations of one run.'),
    minutes: above0OrNone('Minutes of one run.'),
    usd: above0OrNone('US dollars of one run, as far as the agent reports them.'),
    tokens: timesOrNone('Tokens of one run, as far as the agent reports them.'),
    callsPerHour: timesOrNone('Iterations started within one hour; the loop waits for the next hour.'),
  })
}

export function breakerSection() {
  const breakerLimit = (about: string) => whole(`${FROM_0} (0 switches it off)`, `${about} 0 switches it off.`, 0)
  const breakerLimits = {
    noProgress: breakerLimit('Iterations in a row without progress that open the breaker.'),
    sameError: breakerLimit('Iterations in a row that ended with the same error that open the breaker.'),
    gateBlocked: breakerLimit('Iterations in a row in which the gate stayed shut that open the breaker.'),
    failures: breakerLimit('Failed iterations of any task since the last success that open the breaker.'),
    denials: breakerLimit('Iterations in a row with refused tool calls that open the breaker.'),
    loops: breakerLimit('Iterations since the last reset that open the breaker, whatever was achieved.'),
  }

  return section('The circuit breaker.', {
    enabled: flag('Whether the breaker may open at all.'),
    halfOpenAt: times('Iterations in a row without progress at which the breaker goes half-open.'),
    ...breakerLimits,
    phases: v.pipe(
      v.record(v.string(), section('Limits in this phase.', breakerLimits), 'a section of phases'),
      v.description('Limits that hold in one phase only, by the name of the phase.'),
    ),
    outputDecline: percentOrNone('Output below this share of the recent average (percent) counts as no progress.'),
    recovery: choice(['manual', 'cooldown', 'progress'], 'What closes an open breaker.'),
    cooldownMinutes: number('a number from 0', 'Minutes an open breaker waits before it goes half-open.', 0),
    autoReset: flag('Whether the breaker closes at the start of a new run.'),
    timeoutMinutes: above0OrNone('Minutes after which one iteration is cut off.'),
    activityTimeoutMinutes: above0OrNone('Minutes of silence after which one iteration is cut off.'),
    onOpen: choice(['stop', 'wait'], 'What to do when it opens and nobody is at a terminal.'),
  })
}

export function commandsSection() {
  return openSection(
    'Command lines; found by themselves where possible. Any other name is a check of your own.',
    textOrNone('Passes with exit code 0.'),
    {
      test: textOrNone('Runs the tests.'),
      build: textOrNone('Builds the project.'),
      lint: textOrNone('Lints the project.'),
      typecheck: textOrNone('Checks the types.'),
    },
  )
}

export function runSection() {
  const dollars = (about: string) => number('a number from 0', about, 0)
  const price = v.strictObject({
    input: dollars('Input.'),
    output: dollars('Output.'),
    cachedInput: v.optional(dollars('Input from the cache; as dear as other input when it is not said.')),
  })

  return section('How `exitgate run` drives the agent.', {
    agent: textOrNone('The agent to run: claude, codex, gemini, opencode, pi or acp.'),
    command: texts('The agent as any command, word by word; what stands behind -- goes before it.'),
    agentArgs: texts("Words for the agent's command line: model, permissions."),
    permissions: choice(
      ['reject', 'allow-edits', 'allow-all'],
      'What an agent may do that asks through the Agent Client Protocol.',
    ),
    prices: v.pipe(
      v.record(v.string(), price, 'a section of models'),
      v.description('Prices in US dollars for a million tokens, by model, for agents that do not count money.'),
    ),
    prompt: textOrNone('File with the prompt.'),
    setup: textOrNone(
      'Command that makes a fresh worktree or clone ready, before its baseline: run once for each task of a list.',
    ),
    mcp: flag('Give the agent the exit_signal tool, where it can be given one: claude, codex, opencode and acp.'),
    format: text('What the agent prints; auto finds out.'),
    iterationMinutes: above0(
      'a number greater than 0',
      'Minutes after which an iteration is cut and counts as failed.',
    ),
    silenceMinutes: above0('a number greater than 0', 'Minutes without output after which it is cut.'),
    interrupt: choice(['graceful', 'immediate'], 'Whether the first Ctrl+C lets the agent finish its iteration.'),
    graceSeconds: number('a number from 0', 'Seconds between the polite and the hard end of the agent.', 0),
    continueSession: flag("Keep the agent's session from one iteration to the next."),
    maxWaitMinutes: number('a number from 0', "Longest wait for a provider's limit to end.", 0),
    overloadRetries: threshold('Starts in a row that may fail at an overloaded provider.'),
    transcriptMegabytes: above0('a number greater than 0', 'Most output kept of one iteration.'),
    keepRuns: times('Runs of which the output is kept.'),
    checkpoint: flag('Commit the work of each iteration to a branch of its own.'),
    notify: section('Who is told at the end.', {
      bell: flag('Ring the bell of the terminal.'),
      desktop: flag('Show a notification on the desktop.'),
      webhook: textOrNone('Address that gets a POST with the ending as JSON.'),
    }),
  })
}

export function baselineSection() {
  return section('What the tests were before the run.', {
    accept: texts('Tests by name that may fail because a person looked at them.'),
    acceptFailing: flag('Whether every test that already fails before the first iteration may go on failing.'),
  })
}

export function evidenceSection() {
  return section('How proof is gathered.', {
    confirmRuns: threshold('How often the tests run again on the same tree when the agent claims to be done.'),
    redProof: flag("Whether the agent's new tests must fail without its other changes; costs one more test run."),
    maximumMinutes: above0('a number greater than 0', 'Minutes after which a check is given up at the latest.'),
    passEnv: texts('Environment variables that evidence commands may see although they look like secrets.'),
    artifacts: texts('Files that must exist and not be empty.'),
    documents: flag('Whether documents are looked at: diagrams must parse, API descriptions must validate.'),
    review: textOrNone('Command of a second reviewer, a model or a person; it gets JSON and answers JSON.'),
    quarantine: entries('Flaky tests that are left out until a date.', {
      test: text('The name of the test.'),
      until: text('The day on which it counts again, as 2026-01-31.'),
      reason: text('Why.'),
    }),
    allow: entries('Findings of tampering that are allowed.', {
      kind: v.optional(text('Only findings of this kind.')),
      file: v.optional(text('Only findings in this file.')),
      reason: text('Why.'),
    }),
  })
}

export function sandboxSection() {
  return section('Where the agent and the checks run.', {
    mode: choice(
      ['auto', 'required', 'off', 'docker', 'podman'],
      'auto uses a sandbox where one works, required refuses to run without one, off uses none.',
    ),
    network: choice(['all', 'agent', 'none'], 'Who can use the network: agent and checks, only the agent, or neither.'),
    image: textOrNone('Container image for docker and podman. It must have the agent and the tools of the project.'),
    read: texts('More files and folders that the agent and the checks can read, as absolute paths or from ~.'),
    write: texts('More files and folders that the agent and the checks can change, as absolute paths or from ~.'),
  })
}

export function learningSection() {
  return section('What labelled runs teach.', {
    minimumLabels: whole(
      'a whole number from 10',
      'Labelled runs below which the completion confidence keeps its fixed weights and nothing is suggested.',
      10,
    ),
    days: above0('a number greater than 0', 'Days after its end in which a run can still be labelled automatically.'),
  })
}
