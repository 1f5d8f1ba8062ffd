/**
 * The public API of exitgate: a gate for your own loop, the complete loop, and your own checks, rules and presets.
 *
 * ```ts
 * import { createGate } from 'exitgate'
 *
 * const gate = createGate({ dir: '.', commands: { test: 'npm test' } })
 * await gate.begin()
 * // ... the agent works ...
 * const verdict = await gate.check({ output: 'All done.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n' })
 * console.log(verdict.action === 'stop' ? verdict.outcome : verdict.missing)
 * ```
 * The pure functions are in `exitgate/core`. Those that use files and processes are in `exitgate/node`.
 */
export { ConfigError } from './config/errors.ts'
export type { ProjectConfig } from './config/project-config.ts'
export type { Config, ConfigPatch, PresetName } from './core/config.ts'
export type { State } from './core/journal/events.ts'
export type { LoopEvent } from './core/loop-event.ts'
export { type OwnAgent, type OwnAnswer, type OwnCheck, type OwnCheckContext, OwnPartsError } from './core/own-parts.ts'
export type { Preset } from './core/preset.ts'
export type { RunEnd } from './core/run.ts'
export type * from './core/types.ts'
export { JournalError, JournalInUse } from './journal/errors.ts'
export type { AgentOutput, DecideInput } from './library/decider.ts'
export {
  defineAgent,
  defineCheck,
  defineConfig,
  definePreset,
  defineRule,
  type PresetDefinition,
} from './library/define.ts'
export type { CheckInput, CheckName, EvidenceInput } from './library/evidence-input.ts'
export { type CheckRequest, createGate, type Gate, type GateOptions, type OwnNames } from './library/gate.ts'
export { type Run, type RunOptions, run } from './library/run.ts'
