/** `exitgate/core`: the decision as pure functions. Nothing here reads a file or starts a process, so it runs in a browser or a worker. */
export { FORMATS, openReader, type TranscriptReader } from '../agents/reader.ts'
export { backtest } from '../backtest/backtest.ts'
export { withEffect as judged } from '../backtest/effect.ts'
export { type BacktestSummary, summaryOf } from '../backtest/summary.ts'
export type { Alternative, DecidedAs, Effect, RunBacktest, Stop } from '../backtest/types.ts'
export { configure, type ProjectConfig } from '../config/project-config.ts'
export type { Config, ConfigPatch, PresetName } from '../core/config.ts'
export { beforeOf } from '../core/journal/before.ts'
export { eventInputsOf } from '../core/journal/event-inputs.ts'
export type { Decided, EventInput, JournalEvent, State } from '../core/journal/events.ts'
export { emptyState, reduce } from '../core/journal/reduce.ts'
export { type Difference, type Replayed, replay } from '../core/journal/replay.ts'
export {
  type After,
  askAll,
  type DecidedIteration,
  decide,
  decideIteration,
} from '../core/policy/decide.ts'
export { type Before, look, observation, start } from '../core/policy/look.ts'
export type { Preset } from '../core/preset.ts'
export { PRESETS, policyFor } from '../core/presets/index.ts'
export { PHRASES } from '../core/signals/phrases.ts'
export { read } from '../core/signals/read.ts'
export type * from '../core/types.ts'
export { readChecklist } from '../evidence/checks/checklist.ts'
export { readGivenWith } from '../evidence/given/reader.ts'
export { brierScore, calibrationError, reliability } from '../learning/brier.ts'
export { type AgentOutput, createDecider, type DecideInput, type Decider } from './decider.ts'
export type { CheckInput, CheckName, EvidenceInput } from './evidence-input.ts'
