import type { Loaded } from '../config/load.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import type { EvidenceSet } from '../core/types.ts'
import { type GatherOptions, gatherBaseline } from '../evidence/gather.ts'
import { JournalError } from '../journal/errors.ts'
import { taughtIn } from './calibration-file.ts'
import { type Opening, opening } from './opening.ts'

export interface BeginOptions {
  /** Where this workspace's journal lies. */
  readonly dir: string
  readonly loaded: Loaded
  readonly resume: boolean
  readonly task?: string
}

/** How the run is to begin, from what the journal holds and what the person asked for. */
export function openingFor(state: State, { dir, loaded, resume, task }: BeginOptions, now: number): Opening {
  if (resume) assertResumable(state, loaded)
  const opened = opening(state, {
    loaded,
    now,
    newRun: !resume,
    resumed: resume,
    ...taughtIn(dir),
    ...(task === undefined ? {} : { task }),
  })
  if (!resume) return unfinishedNoted(opened, state)
  const reason = state.ended === undefined ? 'the process before it was gone' : `it had ended as ${state.ended.ending}`
  return { ...opened, first: [{ type: 'run.resumed', iteration: state.iterations, reason }, ...opened.first] }
}

/** A finished run is not taken up by accident, and no run is made out of none. */
function assertResumable({ run, ended, config }: State, loaded: Loaded): void {
  if (run === undefined || config === undefined)
    throw new JournalError('there is no run to resume here; start one with `exitgate run` without --resume', 64)
  if (ended?.outcome === 'completed')
    throw new JournalError(
      `the run ${run} is finished (${ended.outcome}/${ended.ending}); start another one with \`exitgate run\` without --resume`,
      64,
    )
  if (config.preset !== loaded.config.preset)
    throw new JournalError(
      `the run ${run} follows the preset "${config.preset}", not "${loaded.config.preset}"; resume it with --preset ${config.preset}`,
      64,
    )
}

function unfinishedNoted(opened: Opening, { run, ended, iterations, config }: State): Opening {
  if (run === undefined || ended !== undefined || config === undefined) return opened
  const text = `the run ${run} was left unfinished after ${iterations} iterations; this is a new one, --resume would have gone on with it`
  return { ...opened, warnings: [...opened.warnings, text] }
}

export interface Baselined {
  readonly events: readonly EventInput[]
  readonly evidence: EvidenceSet
  readonly problems: readonly string[]
}

/** What is so before the first iteration belongs to the event that begins the run; undefined when it was interrupted. */
export async function withBaseline(
  first: readonly EventInput[],
  options: GatherOptions,
  hide = (evidence: EvidenceSet): EvidenceSet => evidence,
): Promise<Baselined | undefined> {
  const { evidence: found, baselineId, problems } = await gatherBaseline(options)
  if (options.signal?.aborted === true) return undefined
  const evidence = hide(found)
  const id = baselineId === undefined ? {} : { baselineId }
  const events = first.map((each) => (each.type === 'run.started' ? { ...each, baseline: evidence, ...id } : each))
  return { events, evidence, problems }
}
