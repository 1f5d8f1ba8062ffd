import { resolve } from 'node:path'
import { type Loaded, loadConfig } from '../../config/load.ts'
import type { JournalEvent } from '../../core/journal/events.ts'
import { PRESETS, policyIfLoaded } from '../../core/presets/index.ts'
import type { Learning } from '../../core/types.ts'
import { examplesOf } from '../../learning/examples.ts'
import { keepLabels, labelsOf, type RunLabel } from '../../learning/labels.ts'
import { qualityOfShown } from '../../learning/learn.ts'
import { type RunFacts, runsIn } from '../../reports/history/run-facts.ts'
import type { Reliability } from '../../reports/history/statistics.ts'
import { InputError } from '../errors.ts'
import { eventsIn, withArchived } from '../history/journals.ts'
import type { Io } from '../io.ts'

/** Everything recorded about a workspace, archived journals included, the oldest first. */
export function* eventsOf(dir: string): Generator<JournalEvent, void> {
  for (const each of withArchived(dir)) yield* eventsIn(each, dir)
}

export interface Past {
  readonly runs: readonly RunFacts[]
  readonly labels: ReadonlyMap<string, RunLabel>
}

export function pastOf(dir: string): Past {
  const labelled: JournalEvent[] = []
  const runs = runsIn(keepLabels(eventsOf(dir), labelled))
  return { runs, labels: labelsOf(labelled) }
}

const MOST_NAMED = 10
/** What you type for the newest run. */
export const NEWEST = 'last'

/** The run with this id, or the newest finished one. */
export function runNamed({ runs }: Past, name: string): RunFacts {
  const over = runs.filter(({ ended }) => ended !== undefined)
  const found = name === NEWEST ? over.at(-1) : runs.find(({ run }) => run === name)
  if (found === undefined) throw new InputError(unknownRun(name, over))
  if (found.ended === undefined) throw new InputError(`Run ${found.run} is unfinished. Label it when it has ended.`)
  return found
}

function unknownRun(name: string, over: readonly RunFacts[]): string {
  if (over.length === 0) return 'No finished runs here yet. Pass the project folder with --dir.'
  const more = over.length > MOST_NAMED ? ` and ${over.length - MOST_NAMED} older` : ''
  const names = over.slice(-MOST_NAMED).map(({ run }) => run)
  return `There is no run "${name}" here. Runs: ${names.join(', ')}${more}. "last" is the newest.`
}

/** How well the confidence shown in the labelled runs of a workspace predicted good work. */
export function reliabilityIn(dir: string, labels: ReadonlyMap<string, RunLabel>): Reliability | undefined {
  if (labels.size === 0) return undefined
  const examples = withArchived(dir).flatMap((each) => examplesOf(eventsIn(each, dir), labels, policyIfLoaded))
  const judged = qualityOfShown(examples)
  if (judged === undefined) return undefined
  const good = examples.filter(({ label }) => label === 'good').length
  return { good, bad: examples.length - good, ...judged }
}

/** For the report of one run. `labelled` has the labels of the current journal, without archived ones. */
export function labelIn(dir: string, run: string, labelled: readonly JournalEvent[]): RunLabel | undefined {
  const older = withArchived(dir).filter((each) => each !== dir)
  return labelsOf([...older.flatMap((each) => labelledIn(eventsIn(each, dir))), ...labelled]).get(run)
}

function labelledIn(events: Iterable<JournalEvent>): readonly JournalEvent[] {
  const kept: JournalEvent[] = []
  for (const _ of keepLabels(events, kept));
  return kept
}

export const settingsOf = (workspace: string, io: Io, file?: string): Promise<Loaded> =>
  loadConfig({
    dir: workspace,
    file: file === undefined ? undefined : resolve(io.cwd, file),
    env: io.env,
    flags: {},
    presets: PRESETS,
    allowCode: true,
  })

export const learningOf = async (workspace: string, io: Io): Promise<Learning> =>
  (await settingsOf(workspace, io)).config.learning
