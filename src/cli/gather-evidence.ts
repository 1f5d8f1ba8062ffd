import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import type { CallersFiles } from '../evidence/callers-files.ts'
import { type Gathered, type GatherOptions, gather } from '../evidence/gather.ts'
import type { Reference } from '../evidence/gather-once.ts'
import { gatherOptions } from '../loop/gather-options.ts'
import { takeStart } from '../loop/reference.ts'
import type { DecideValues } from './decide-options.ts'
import type { Io } from './io.ts'

/** Where a decision is made. */
export interface Where extends Pick<CallersFiles, 'loopFiles' | 'said'> {
  readonly workspace: string
  readonly stateDir: string
  readonly io: Io
  readonly prompt?: string
  /** The baseline of the current run. */
  readonly baselineId: string | undefined
  /** Variables of exitgate itself; those of this process by default. */
  readonly variables?: Io['env']
  /** For a new run: the tree that the files are compared with. */
  readonly reference?: Reference
  /** Tasks the user has skipped. */
  readonly skipped: readonly string[]
  /** Findings the user has accepted. */
  readonly accepted?: State['accepted'] | undefined
  /** The longest time that each check has taken, in ms. */
  readonly slowest?: State['slowest'] | undefined
}

export function gatherEvidence(where: Where, values: DecideValues, config: Config, claim: boolean): Promise<Gathered> {
  return withProgress(where.io, values, 'Running the checks', gather(optionsOf(where, values, config, claim)))
}

/** The baseline before the first iteration. */
export function gatherStart(where: Where, values: DecideValues, config: Config): Promise<Gathered> {
  return withProgress(where.io, values, 'Taking the baseline', takeStart(optionsOf(where, values, config, false)))
}

function optionsOf(
  { io, baselineId, reference, skipped, accepted, slowest, prompt = '', ...place }: Where,
  values: DecideValues,
  config: Config,
  claim: boolean,
): GatherOptions {
  return {
    ...gatherOptions({ ...place, prompt, config, at: io.now(), task: values.task }),
    baselineId,
    claim,
    skipped,
    accepted,
    slowest,
    base: values.base,
    reference,
  }
}

const SILENT_MS = 2000

/** Prints what is being done if it takes longer than two seconds. */
async function withProgress<T>(io: Io, { quiet, json }: DecideValues, doing: string, work: Promise<T>): Promise<T> {
  if (quiet || (json && io.stderr.isTTY !== true)) return work
  const timer = setTimeout(() => io.stderr.write(`${doing} ...\n`), SILENT_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
