import * as v from 'valibot'
import type { PresetName } from '../core/config.ts'
import { choice, flag, text, textOrNone, texts, times } from './schema-fields.ts'
import { presetSections } from './schema-presets.ts'
import {
  baselineSection,
  breakerSection,
  commandsSection,
  evidenceSection,
  learningSection,
  limitsSection,
  runSection,
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
