/**
 * The public API of exitgate: the decision as a library.
 *
 * ```ts
 * import { configure, policyFor, read, openReader, readGiven, start, step } from 'exitgate'
 *
 * const policy = policyFor(configure({ preset: 'default' }))
 * const reader = openReader('auto')
 * reader.write(Buffer.from('All done.\n\nEXIT_STATUS: COMPLETE\n'))
 * const signals = read(reader.end(), policy.reading)
 * const { evidence } = readGiven({ tests: { answer: 'yes', counts: { total: 9, passed: 9, failed: 0 } } })
 * const { verdict } = step(start(), observation(signals, evidence), policy, Date.now())
 * verdict.action // 'stop'
 * ```
 */
export { FORMATS, openReader, type TranscriptReader } from './agents/reader.ts'
export { backtest } from './backtest/backtest.ts'
export { judged } from './backtest/effect.ts'
export { type BacktestSummary, summaryOf } from './backtest/summary.ts'
export type { Alternative, DecidedAs, Effect, RunBacktest, Stop } from './backtest/types.ts'
export { configure } from './config/configure.ts'
export type { Config, ConfigPatch, Preset, PresetName } from './core/config.ts'
export { beforeOf } from './core/journal/before.ts'
export { eventInputsOf } from './core/journal/event-inputs.ts'
export type { Decided, EventInput, JournalEvent, State } from './core/journal/events.ts'
export { emptyState, reduce } from './core/journal/reduce.ts'
export { type Difference, type Replayed, replay } from './core/journal/replay.ts'
export { askAll, decide } from './core/policy/decide.ts'
export {
  type After,
  type DecidedIteration,
  type DecidedIteration as Step,
  decideIteration,
  decideIteration as step,
} from './core/policy/decide-iteration.ts'
export { type Before, look } from './core/policy/look.ts'
export { observation, start } from './core/policy/start.ts'
export { PRESETS, policyFor } from './core/presets/index.ts'
export { PHRASES } from './core/signals/phrases.ts'
export { read } from './core/signals/read.ts'
export type * from './core/types.ts'
export { openBaseline } from './evidence/baseline/open.ts'
export { takeBaseline } from './evidence/baseline/take.ts'
export { readChecklist } from './evidence/checks/checklist.ts'
export { commandCheck } from './evidence/checks/command.ts'
export { gitCheck } from './evidence/checks/git.ts'
export { planCheck } from './evidence/checks/plan-progress.ts'
export { tamperingCheck } from './evidence/checks/tampering.ts'
export { testsCheck } from './evidence/checks/tests.ts'
export { collect } from './evidence/collect.ts'
export { detect, preferred } from './evidence/detect/index.ts'
export { gather, gatherBaseline } from './evidence/gather.ts'
export { collectGit } from './evidence/git.ts'
export { readGiven } from './evidence/given/given.ts'
export { findTampering } from './evidence/tampering/index.ts'
export { openWorkspace } from './evidence/workspace.ts'
export { type Journal, openJournal } from './journal/log.ts'
export { stateDirFor } from './journal/place.ts'
export { readEvents, readJournal, verifyJournal } from './journal/read.ts'
export { brierScore, calibrationError, reliability } from './learning/brier.ts'
export { readTestOutput, type TestCase, type TestRun, type TestState } from './test-output/index.ts'
export { readAnyOutput, readTestReport } from './test-output/report.ts'
