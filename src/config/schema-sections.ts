import * as v from 'valibot'
import { EXPECTATIONS } from '../../packages/exitgate/src/checks/expects.ts'
import { ALERT_KINDS } from '../core/run-config.ts'
import {
  above0,
  above0OrNone,
  choice,
  choices,
  entries,
  FROM_0,
  flag,
  modelPrices,
  namesOr,
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

// The sections of a configuration file, in order.

export function limitsSection() {
  return section('Hard limits of a run.', {
    iterations: timesOrNone('Stop the run after this many iterations.'),
    minutes: above0OrNone('Stop the run after this many minutes.'),
    usd: above0OrNone('Stop the run at this cost in US dollars, reported by the agent or estimated from its tokens.'),
    tokens: timesOrNone('Stop the run after this many tokens. Needs an agent that reports tokens.'),
    callsPerHour: timesOrNone('Start at most this many iterations per hour, then wait for the next hour.'),
  })
}

export function breakerSection() {
  const breakerLimit = (about: string) => whole(`${FROM_0} (0 turns it off)`, `${about} 0 turns it off.`, 0)
  const breakerLimits = {
    noProgress: breakerLimit('Open the breaker after this many iterations in a row without progress.'),
    sameError: breakerLimit('Open the breaker after this many iterations in a row with the same error.'),
    gateBlocked: breakerLimit(
      'Open the breaker after this many iterations in a row in which the work was not verified.',
    ),
    failures: breakerLimit('Open the breaker after this many failed iterations since the last success, in any task.'),
    denials: breakerLimit('Open the breaker after this many iterations in a row with denied tool calls.'),
    loops: breakerLimit('Open the breaker after this many iterations since the last reset, even with progress.'),
  }

  return section('The circuit breaker, which stops a loop without progress.', {
    enabled: flag('Whether the breaker is used.'),
    halfOpenAt: times('Set the breaker to half-open after this many iterations in a row without progress.'),
    ...breakerLimits,
    phases: v.pipe(
      v.record(
        v.string(),
        section('Breaker limits for this phase.', breakerLimits),
        'an object with one entry per phase',
      ),
      v.description('Breaker limits for single phases, by phase name.'),
    ),
    outputDecline: percentOrNone(
      'Count an iteration as no progress if its output is below this percentage of the recent average.',
    ),
    recovery: choice(['manual', 'cooldown', 'progress'], 'What closes an open breaker: you, a cooldown, or progress.'),
    cooldownMinutes: number('a number of at least 0', 'Minutes until an open breaker becomes half-open.', 0),
    autoReset: flag('Close it when a run starts or is resumed. False: an open breaker also stops later runs.'),
    timeoutMinutes: above0OrNone('Open the breaker when an iteration takes longer than this many minutes.'),
    activityTimeoutMinutes: above0OrNone('Open the breaker this many minutes after the last output of an iteration.'),
    onOpen: choice(['stop', 'wait'], 'What to do when the breaker opens and no terminal is attached.'),
  })
}

export function commandsSection() {
  return openSection(
    'Commands that exitgate runs as checks. It detects the common ones itself. Any other name is a check of your own.',
    textOrNone('A check of your own. It passes with exit code 0.'),
    {
      test: textOrNone('Command that runs the tests.'),
      build: textOrNone('Command that builds the project.'),
      lint: textOrNone('Command that lints the project.'),
      typecheck: textOrNone('Command that checks the types.'),
      quick: textOrNone(
        'Command that runs some of the tests, after iterations in which the agent does not say it is done.',
      ),
    },
  )
}

export function runSection() {
  return section('How `exitgate run` runs the agent.', {
    agent: textOrNone(
      'The agent: claude, codex, gemini, opencode, pi, qwen, copilot, droid, goose, kimi, cursor, kiro, amp, aider or acp.',
    ),
    command: texts(
      'Any command as the agent, as a list of arguments. A command after -- on the command line overrides it.',
    ),
    agentArgs: texts('Extra arguments for the agent, such as the model or permissions.'),
    fallbackAgent: textOrNone('The agent that works while the first one is out of quota or keeps failing.'),
    fallbackModel: textOrNone('The model of the fallback. Without fallbackAgent, another model of the same agent.'),
    fallbackArgs: texts('Extra arguments for the fallback agent, such as permissions.'),
    permissions: choice(
      ['reject', 'allow-edits', 'allow-all'],
      'Permissions of an agent that uses the Agent Client Protocol.',
    ),
    prices: modelPrices(
      "Prices in US dollars per million tokens, by model or by the agent's name. They replace the built-in list prices.",
    ),
    prompt: textOrNone('Path of a file with the prompt.'),
    setup: textOrNone(
      'Command that prepares a fresh worktree or clone, such as npm ci. Runs once per task, before its baseline.',
    ),
    mcp: flag(
      'Give the agent the exit_signal tool over MCP. Works with claude, codex, opencode and agents that use the Agent Client Protocol.',
    ),
    format: text('Output format of the agent. auto detects it.'),
    iterationMinutes: above0(
      'a number greater than 0',
      'Stop an iteration after this many minutes and count it as failed.',
    ),
    silenceMinutes: above0('a number greater than 0', 'Stop an iteration after this many minutes without output.'),
    interrupt: choice(['graceful', 'immediate'], 'Whether the first Ctrl+C lets the current iteration finish.'),
    graceSeconds: number(
      'a number of at least 0',
      'Seconds between asking the agent to stop and killing it, and between its result and ending what it left running.',
      0,
    ),
    continueSession: flag('Continue the same agent session in every iteration.'),
    maxWaitMinutes: number(
      'a number of at least 0',
      "Wait at most this many minutes for a provider's limit, overload or network failure to end.",
      0,
    ),
    overloadRetries: threshold(
      'Retries in a row when the provider is overloaded or not reachable, within maxWaitMinutes.',
    ),
    questionMinutes: above0(
      'a number greater than 0',
      'Answer a question at the terminal with its default after this many minutes, because you may be away.',
    ),
    transcriptMegabytes: above0('a number greater than 0', 'Output to keep per iteration, in megabytes.'),
    keepRuns: times('Number of runs to keep output for.'),
    checkpoint: flag('Commit the work of each iteration to a separate branch.'),
    notify: section('Alerts while you are away. $NAME as a value takes it from the environment variable NAME.', {
      on: choices(ALERT_KINDS, 'Which alerts to send: the run needs you, waits for a limit, is stuck, or ended.'),
      bell: flag('Ring the terminal bell.'),
      desktop: flag('Show a desktop notification.'),
      webhook: textOrNone('URL that receives the alert as JSON in a POST request.'),
      slack: textOrNone('URL of an incoming webhook of Slack.'),
      ntfy: textOrNone('Topic of ntfy.sh, or the URL of a topic on another server.'),
      telegramToken: textOrNone('Token of a Telegram bot. Needs telegramChat.'),
      telegramChat: textOrNone('Id of the Telegram chat that gets the alerts.'),
      command: textOrNone('Any command. It gets the alert as JSON on standard input and as $EXITGATE_ALERT.'),
    }),
  })
}

export function baselineSection() {
  return section('Tests that failed before the run.', {
    accept: texts('Names of tests that may fail because you accepted them.'),
    acceptFailing: flag('Accept every test that already fails before the first iteration.'),
  })
}

export function evidenceSection() {
  return section('How exitgate checks the work.', {
    confirmRuns: threshold(
      'On a claim, how often the tests run again. The run with the original tests is the first of them, also with 0.',
    ),
    proof: choice(
      ['auto', 'required', 'report'],
      'On a claim, require a test that fails without the change: if the task and the project let expect one, always, or never.',
    ),
    requirements: choice(
      ['report', 'required'],
      'Whether each item of the plan needs a test that proves it, as the agent names it.',
    ),
    changedTests: choice(
      ['report', 'ask', 'block'],
      'Existing tests that expect something else now, as strictly as before: list them, end the run so that you decide, or reject the claim.',
    ),
    reset: textOrNone(
      'Runs before each run of the tests: a command that resets services which the tests share, such as a database.',
    ),
    expects: v.nullable(choice(EXPECTATIONS, 'What the work should show. By default, the words of the task say it.')),
    canary: flag(
      'On a claim, check that tests fail when exitgate breaks them on purpose. Costs one or two more test runs.',
    ),
    specialCased: choice(
      ['block', 'warn', 'off'],
      "On a claim, look for code that answers only the tests' examples. Reject the claim, warn, or don't look.",
    ),
    mutation: choice(['changed', 'off'], 'On a claim, check that tests notice mistakes in the changed functions.'),
    mutationMinutes: above0OrNone('Its limit. By default 40 times as long as the tests take, from 1 to 10 minutes.'),
    maximumMinutes: above0(
      'a number greater than 0',
      'Stop a check after this many minutes. Tests that take longer before the first iteration get more.',
    ),
    quickAfterMinutes: number(
      'a number of at least 0',
      'If the tests take longer than this before the first iteration, iterations without a claim run only related tests.',
      0,
    ),
    confirmAllMinutes: above0OrNone(
      'If the tests take longer than this, the original tests run on a claim only where the change can reach them.',
    ),
    cleanRoom: choice(
      ['auto', 'required', 'off'],
      'Check claims in a private copy of the project without ignored files: where that works, always, or never.',
    ),
    include: texts(
      'Ignored files that the tests need, as paths or globs. The clean room gets them as they were at the start.',
    ),
    passEnv: texts('Environment variables to pass to checks although they look like secrets.'),
    artifacts: texts('Files that must exist and must not be empty.'),
    documents: flag('Check documents: diagrams must parse and API descriptions must be valid.'),
    examples: textOrNone(
      'JSON file with commands and the output you expect. They run when the agent claims to be done.',
    ),
    review: textOrNone(
      'A second reviewer: claude, codex, gemini, two of them separated by a comma, or a command that reads JSON on stdin and prints JSON.',
    ),
    quarantine: namesOr(
      'test name',
      'Flaky tests to ignore: their names, or objects with a date until which and why.',
      {
        test: text('The name of the test.'),
        until: text('The day it counts again, such as 2026-01-31.'),
        reason: text('Why.'),
      },
    ),
    allow: entries('Tampering findings that you accept.', {
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
      'Whether to use a sandbox: auto where one works, required to refuse to run without one, off for none.',
    ),
    network: choice(['all', 'agent', 'none'], 'Who can use the network: agent and checks, only the agent, or neither.'),
    image: textOrNone('Container image for docker and podman. It must have the agent and the tools of the project.'),
    read: texts('More files and folders that the agent and the checks can read, as absolute paths or from ~.'),
    write: texts('More files and folders that the agent and the checks can change, as absolute paths or from ~.'),
  })
}

export function learningSection() {
  return section('How exitgate learns from labelled runs.', {
    minimumLabels: whole(
      'a whole number of at least 10',
      'Labelled runs needed before exitgate calibrates the confidence score and suggests settings.',
      10,
    ),
    days: above0('a number greater than 0', 'Days after its end in which a run can be labelled automatically.'),
  })
}
