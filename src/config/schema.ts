import * as v from 'valibot'
import type { PresetName } from '../core/config.ts'
import { choice, flag, percent, section, text, textOrNone, texts, threshold, times } from './schema-fields.ts'
import {
  baselineSection,
  breakerSection,
  commandsSection,
  evidenceSection,
  learningSection,
  limitsSection,
  runSection,
  sandboxSection,
} from './schema-sections.ts'

export const PRESET_NAMES = [
  'default',
  'cub',
  'prp',
  'doyaken',
  'blackbox',
  'gsd',
  'ralph',
] as const satisfies readonly PresetName[]

/** Built on first use: most runs have nothing to validate, and building the schema is slow. */
export const configSchema = once(() => {
  const shared = {
    preset: choice(PRESET_NAMES, 'The policy to follow.'),
    plan: textOrNone('Path of the plan (a checklist), relative to the workspace.'),
    optionalSections: texts('Headings of plan sections whose open items do not count; case does not matter.'),
    required: texts('Checks that must answer yes in the default preset.'),
    requireChange: flag('Whether a run must have changed something before it can complete.'),
    limits: limitsSection(),
    hollowClaims: times('Refused claims in a row after which the run ends as stuck.'),
    unverifiable: times('Claims in a row that no check could answer after which the run ends.'),
    sameTask: times('Failures in a row of the same task after which the run ends as stuck.'),
    oscillation: times('Returns to an earlier tree within twelve iterations after which the run ends as stuck.'),
    blocked: times('Iterations in a row in which the agent named a blocker after which a person is asked.'),
    asking: times(
      'Iterations in a row in which the agent asked for permission, or was refused a tool, and no file changed, after which a person is asked.',
    ),
    agentOverride: flag('Whether EXIT_OVERRIDE with HIGH confidence may skip the threshold.'),
    breaker: breakerSection(),
    promise: text('The text inside <promise> that counts as a claim.'),
    patterns: texts('Patterns of your own, counted as phrases: regular expressions without look-around.'),
    files: flag("Whether to write the preset's own state and log files into the workspace."),
    commands: commandsSection(),
    run: runSection(),
    baseline: baselineSection(),
    evidence: evidenceSection(),
    sandbox: sandboxSection(),
    learning: learningSection(),
    ...presetSections(),
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
  // `taskPatch` is returned too, so that the JSON schema can define it once and refer to it.
  return { config, taskPatch }
})

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** One section for each preset that has settings of its own. */
const presetSections = () => ({
  cub: section('The cub preset.', {
    enabled: flag('False: the promise tag alone decides, as before the gate existed.'),
    threshold: threshold('Indicators needed in addition to the explicit signal.'),
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
    structuredSignal: choice(['required', 'booster'], 'Whether the status block is needed or only adds to the score.'),
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
    completionIndicators: times('Indicators needed in addition to an explicit exit signal.'),
    safetyIndicators: times('Indicators that end the run without an exit signal.'),
    window: times('How many of the last signals are remembered.'),
    allowedTools: texts('Tools the agent may use, as in --allowedTools.'),
  }),
})
