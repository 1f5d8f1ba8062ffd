import * as v from 'valibot'
import type { PresetName } from '../core/config.ts'
import {
  above0,
  above0OrNone,
  choice,
  entries,
  FROM_0,
  flag,
  number,
  openSection,
  percent,
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
import { runSection } from './schema-run.ts'

export const PRESET_NAMES = [
  'default',
  'cub',
  'prp',
  'doyaken',
  'blackbox',
  'gsd',
  'ralph',
] as const satisfies readonly PresetName[]

/** Made when it is first asked for: most runs have nothing to validate, and building it takes longer than reading it. */
export const configSchema = once(() => {
  const breakerLimit = (about: string) => whole(`${FROM_0} (0 switches it off)`, `${about} 0 switches it off.`, 0)
  const breakerLimits = {
    noProgress: breakerLimit('Iterations in a row without progress that open the breaker.'),
    sameError: breakerLimit('Iterations in a row that ended with the same error that open the breaker.'),
    gateBlocked: breakerLimit('Iterations in a row in which the gate stayed shut that open the breaker.'),
    failures: breakerLimit('Failed iterations of any task since the last success that open the breaker.'),
    denials: breakerLimit('Iterations in a row with refused tool calls that open the breaker.'),
    loops: breakerLimit('Iterations since the last reset that open the breaker, whatever was achieved.'),
  }

  const shared = {
    preset: choice(PRESET_NAMES, 'The policy to follow.'),
    plan: textOrNone('Path of the plan (a checklist), relative to the workspace.'),
    optionalSections: texts('Headings of plan sections whose open items do not count; case does not matter.'),
    required: texts('Checks that must answer yes in the default preset.'),
    requireChange: flag('Whether a run must have changed something before it can complete.'),
    limits: section('Where a run ends at the latest.', {
      iterations: timesOrNone('Iterations of one run.'),
      minutes: above0OrNone('Minutes of one run.'),
      usd: above0OrNone('US dollars of one run, as far as the agent reports them.'),
      tokens: timesOrNone('Tokens of one run, as far as the agent reports them.'),
      callsPerHour: timesOrNone('Iterations started within one hour; the loop waits for the next hour.'),
    }),
    hollowClaims: times('Refused claims in a row after which the run ends as stuck.'),
    unverifiable: times('Claims in a row that no check could answer after which the run ends.'),
    sameTask: times('Failures in a row of the same task after which the run ends as stuck.'),
    oscillation: times('Returns to an earlier tree within twelve iterations after which the run ends as stuck.'),
    blocked: times('Iterations in a row in which the agent named a blocker after which a person is asked.'),
    asking: times(
      'Iterations in a row in which the agent asked for permission, or was refused a tool, and no file changed, after which a person is asked.',
    ),
    agentOverride: flag('Whether EXIT_OVERRIDE with HIGH confidence may skip the threshold.'),
    breaker: section('The circuit breaker.', {
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
    }),
    promise: text('The text inside <promise> that counts as a claim.'),
    patterns: texts('Patterns of your own, counted as phrases: regular expressions without look-around.'),
    files: flag("Whether to write the preset's own state and log files into the workspace."),
    commands: openSection(
      'Command lines; found by themselves where possible. Any other name is a check of your own.',
      textOrNone('Passes with exit code 0.'),
      {
        test: textOrNone('Runs the tests.'),
        build: textOrNone('Builds the project.'),
        lint: textOrNone('Lints the project.'),
        typecheck: textOrNone('Checks the types.'),
      },
    ),
    run: runSection(),
    baseline: section('What the tests were before the run.', {
      accept: texts('Tests by name that may fail because a person looked at them.'),
      acceptFailing: flag('Whether every test that already fails before the first iteration may go on failing.'),
    }),
    evidence: section('How proof is gathered.', {
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
    }),
    learning: section('What labelled runs teach.', {
      minimumLabels: whole(
        'a whole number from 10',
        'Labelled runs below which the completion confidence keeps its fixed weights and nothing is suggested.',
        10,
      ),
      days: above0('a number greater than 0', 'Days after its end in which a run can still be labelled automatically.'),
    }),
    cub: section('The cub preset.', {
      enabled: flag('False: the promise tag alone decides, as before the gate existed.'),
      threshold: threshold('Indicators needed beside the explicit signal.'),
      requireExplicitSignal: flag('Whether EXIT_STATUS: COMPLETE is needed.'),
      minTextIndicators: threshold('How many of the indicators must be words; 0 is the plain sum.'),
      patterns: texts('Completion patterns; an empty list means the six built in.'),
      evidence: section('Evidence that counts as an indicator.', {
        tests: flag('Passing tests.'),
        build: flag('A passing build.'),
        criteria: flag('Acceptance criteria that are met.'),
        cleanGit: flag('A workspace without uncommitted changes.'),
      }),
    }),
    prp: section('The prp preset.', {
      greenRuns: times('Green test runs in a row that GREEN needs.'),
      maxRefactorIterations: times('Iterations after which REFACTOR may end without a flag.'),
      requiredDocs: threshold('Documents that DOCUMENT needs.'),
      requireAdr: flag('Whether DOCUMENT needs an ADR.'),
      requireC4: flag('Whether DOCUMENT needs C4 diagrams.'),
      requireDiagrams: flag('Whether DOCUMENT needs diagrams, all of them valid.'),
      qa: flag('Whether a QA phase follows DOCUMENT.'),
      qaAttempts: times('Rejections by QA after which a person is asked.'),
      sessionDir: text('Folder of the session files, relative to the workspace.'),
    }),
    doyaken: section('The doyaken preset.', {
      threshold: percent('Score from which a task counts as done.'),
      lowConfidenceBelow: percent('A claim with a score below this is a low-confidence claim.'),
      lowConfidenceWarn: times('Low-confidence claims in a row after which a warning is given.'),
      structuredSignal: choice(
        ['required', 'booster'],
        'Whether the status block is needed or only adds to the score.',
      ),
      dualCondition: flag('False: the score alone decides.'),
      weights: section('Points of each signal.', {
        block: percent('The status block is there.'),
        phaseComplete: percent('PHASE_COMPLETE: true.'),
        changed: percent('Files were changed.'),
        taskInDone: percent('The task file was moved to done.'),
        keywords: percent('Completion words.'),
        testsPass: percent('TESTS_STATUS: pass.'),
      }),
    }),
    blackbox: section('The blackbox preset.', {
      minConfidence: percent('Confidence below which the run stops for review.'),
      minCompletion: percent('Share of ticked items from which the run completes; 101 switches this rule off.', 101),
      maxErrors: threshold('Error words above which the run stops for review.'),
      stagnationLoops: times('Iterations in a row without a new tick after which the run ends as stuck.'),
    }),
    gsd: section('The gsd preset.', {
      unknownTests: choice(['fail', 'pass'], 'Whether tests that could not be read satisfy the gate.'),
    }),
    ralph: section('The ralph preset.', {
      testOnlyLoops: times('Test-only iterations after which the run ends.'),
      doneSignals: times('Completion words in so many iterations complete the run.'),
      completionIndicators: times('Indicators needed beside an explicit exit signal.'),
      safetyIndicators: times('Indicators that end the run without an exit signal.'),
      window: times('How many of the last signals are remembered.'),
      allowedTools: texts('Tools the agent may use, as in --allowedTools.'),
    }),
  }

  const taskPatch = v.pipe(v.partial(v.strictObject(shared)), v.description('Overrides for this kind of task.'))
  const config = v.partial(
    v.strictObject({
      $schema: text('Path or address of the JSON schema, for editors.'),
      taskType: textOrNone('The kind of task at hand: chooses one of taskTypes.'),
      ...shared,
      taskTypes: v.pipe(
        v.record(v.string(), taskPatch, 'a section of task types'),
        v.description('Overrides for one kind of task, chosen by taskType, by name.'),
      ),
    }),
  )
  // The part that stands in it twice has a name of its own, so that the JSON schema can refer to it.
  return { config, taskPatch }
})

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
