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

/** Built on first use: building the schema is slow, and most runs have nothing to validate. */
export const configSchema = once(() => {
  const shared = {
    preset: choice(PRESET_NAMES, 'The policy that decides when a run is complete.'),
    plan: textOrNone('Path of the plan (a checklist), relative to the workspace.'),
    optionalSections: texts('Headings of plan sections whose open items do not count. Case is ignored.'),
    required: texts('Checks that must pass in the default preset.'),
    requireChange: flag('Whether a run must change something before it can complete.'),
    limits: limitsSection(),
    hollowClaims: times('End the run as stuck after this many rejected claims in a row.'),
    unverifiable: times('End the run after this many claims in a row that no check could verify.'),
    sameTask: times('End the run as stuck after this many failures in a row on the same task.'),
    oscillation: times(
      'End the run as stuck when the files return to an earlier state this many times within 12 iterations.',
    ),
    blocked: times('Stop and ask you after this many iterations in a row in which the agent reports a blocker.'),
    asking: times(
      'Stop and ask you after this many iterations in a row in which the agent only asks you something, or was denied a tool. File changes reset the count.',
    ),
    agentOverride: flag('Let EXIT_OVERRIDE with HIGH confidence skip the threshold.'),
    breaker: breakerSection(),
    promise: text('The text inside <promise> that counts as a claim.'),
    patterns: texts('Your own completion phrases, as regular expressions without look-around.'),
    files: flag("Write the preset's own state and log files into the workspace."),
    commands: commandsSection(),
    run: runSection(),
    baseline: baselineSection(),
    evidence: evidenceSection(),
    sandbox: sandboxSection(),
    learning: learningSection(),
    ...presetSections(),
  }

  const taskPatch = v.pipe(v.partial(v.strictObject(shared)), v.description('Overrides for this type of task.'))
  const config = v.partial(
    v.strictObject({
      $schema: text('Path or URL of the JSON schema, for editors.'),
      taskType: textOrNone('The type of the task. Selects an entry of taskTypes.'),
      ...shared,
      taskTypes: v.pipe(
        v.record(v.string(), taskPatch, 'an object with one entry per task type'),
        v.description('Overrides by type of task. taskType selects one.'),
      ),
    }),
  )
  // Returned as well, so that the JSON schema can define it once and refer to it.
  return { config, taskPatch }
})

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** One section per preset that has its own settings. */
const presetSections = () => ({
  cub: section('Settings of the cub preset.', {
    enabled: flag('Set to false to decide by the promise tag alone, as cub did before its exit gate.'),
    threshold: threshold('Indicators needed in addition to the explicit signal.'),
    requireExplicitSignal: flag('Whether EXIT_STATUS: COMPLETE is required.'),
    minTextIndicators: threshold('How many of the indicators must be phrases. 0 counts all indicators alike.'),
    patterns: texts('Completion patterns. An empty list means the six built-in ones.'),
    evidence: section('Checks that count as indicators.', {
      tests: flag('Passing tests.'),
      build: flag('A passing build.'),
      criteria: flag('Acceptance criteria that are met.'),
      cleanGit: flag('A workspace without uncommitted changes.'),
    }),
  }),
  prp: section('Settings of the prp preset.', {
    greenRuns: times('Passing test runs in a row needed to leave GREEN.'),
    maxRefactorIterations: times('Iterations after which REFACTOR may end without a flag.'),
    requiredDocs: threshold('Number of documents needed to leave DOCUMENT.'),
    requireAdr: flag('Whether DOCUMENT requires an ADR.'),
    requireC4: flag('Whether DOCUMENT requires C4 diagrams.'),
    requireDiagrams: flag('Whether DOCUMENT requires diagrams, all of them valid.'),
    qa: flag('Whether a QA phase follows DOCUMENT.'),
    qaAttempts: times('Stop and ask you after this many rejections by QA.'),
    sessionDir: text('Folder of the session files, relative to the workspace.'),
  }),
  doyaken: section('Settings of the doyaken preset.', {
    threshold: percent('Minimum score at which a task counts as done.'),
    lowConfidenceBelow: percent('A claim with a lower score is a low-confidence claim.'),
    lowConfidenceWarn: times('Warn after this many low-confidence claims in a row.'),
    structuredSignal: choice(
      ['required', 'booster'],
      'Whether the status block is required or only adds to the score.',
    ),
    dualCondition: flag('Set to false to decide by the score alone.'),
    weights: section('Points per signal.', {
      block: percent('The status block is present.'),
      phaseComplete: percent('PHASE_COMPLETE: true.'),
      changed: percent('Files were changed.'),
      taskInDone: percent('The task file was moved to done.'),
      keywords: percent('Completion words.'),
      testsPass: percent('TESTS_STATUS: pass.'),
    }),
  }),
  blackbox: section('Settings of the blackbox preset.', {
    minConfidence: percent('Stop for review below this confidence.'),
    minCompletion: percent('Complete the run at this percentage of ticked items. 101 turns this rule off.', 101),
    maxErrors: threshold('Stop for review above this number of error words.'),
    stagnationLoops: times('End the run as stuck after this many iterations in a row without a newly ticked item.'),
  }),
  gsd: section('Settings of the gsd preset.', {
    unknownTests: choice(['fail', 'pass'], 'Whether test results that could not be read count as a pass or a fail.'),
  }),
  ralph: section('Settings of the ralph preset.', {
    testOnlyLoops: times('End the run after this many test-only iterations.'),
    doneSignals: times('Complete the run after completion words in this many iterations.'),
    completionIndicators: times('Indicators needed in addition to an explicit exit signal.'),
    safetyIndicators: times('Indicators that end the run without an exit signal.'),
    window: times('Number of recent signals to remember.'),
    allowedTools: texts('Tools the agent may use, as in --allowedTools.'),
  }),
})
