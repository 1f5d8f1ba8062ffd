import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import { type Gathered, type GatherOptions, gather, gatherBaseline } from '../evidence/gather.ts'
import { gatherOptions } from '../loop/gather-options.ts'
import type { DecideValues } from './decide-options.ts'
import type { Io } from './io.ts'

/** Where a decision is taken. */
export interface Where {
  readonly workspace: string
  readonly stateDir: string
  readonly io: Io
  /** The baseline of the run that goes on. */
  readonly baselineId: string | undefined
  /** Tasks a person has taken off its list. */
  readonly skipped: readonly string[]
  /** The longest time that each check took before, in ms. */
  readonly slowest?: State['slowest'] | undefined
}

/** What exitgate finds out itself, now. */
export function gatherEvidence(
  where: Where,
  values: DecideValues,
  config: Config,
  claim: boolean,
  prompt: string,
): Promise<Gathered> {
  return patiently(where.io, values, 'gathering evidence', gather(optionsOf(where, values, config, claim, prompt)))
}

/** What is so before the first iteration, kept for comparison. */
export function gatherStart(where: Where, values: DecideValues, config: Config): Promise<Gathered> {
  return patiently(where.io, values, 'taking the baseline', gatherBaseline(optionsOf(where, values, config, false, '')))
}

function optionsOf(
  { workspace, stateDir, io, baselineId, skipped, slowest }: Where,
  values: DecideValues,
  config: Config,
  claim: boolean,
  prompt: string,
): GatherOptions {
  return {
    ...gatherOptions({ workspace, stateDir, config, prompt, at: io.now(), task: values.task }),
    ...(baselineId === undefined ? {} : { baselineId }),
    claim,
    skipped,
    slowest,
    ...(values.base === undefined ? {} : { base: values.base }),
  }
}

const PATIENCE_MS = 2000

/** Whoever waits longer than two seconds is told for what. */
async function patiently<T>(io: Io, { quiet, json }: DecideValues, doing: string, work: Promise<T>): Promise<T> {
  if (quiet || (json && io.stderr.isTTY !== true)) return work
  const timer = setTimeout(() => io.stderr.write(`exitgate: ${doing} ...\n`), PATIENCE_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
