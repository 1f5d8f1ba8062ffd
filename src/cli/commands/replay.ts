import { count as plural } from '../../../packages/core/src/count.ts'
import { withoutTrace } from '../../core/journal/event-inputs.ts'
import type { Decided } from '../../core/journal/events.ts'
import { Fold } from '../../core/journal/fold.ts'
import { decideAgainWith, type PolicyLookup, type Replayed } from '../../core/journal/replay.ts'
import { readJournal } from '../../journal/read.ts'
import { paintedSentence, painter, plain, type Style } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { DIFFERENT, INTERNAL } from '../exit-codes.ts'
import { lookAt, noSuchRun, pastEvents, type Unreadable, withArchived } from '../history/journals.ts'
import { pastPolicies } from '../history/past-policy.ts'
import { type Io, usesColor, warn } from '../io.ts'
import { parse } from '../parse.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { runPlace } from '../task-place.ts'

export const OPTIONS = { ...LOOK_OPTIONS, run: { type: 'string' }, all: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['lab replay [options]'],
  about: 'Repeat every recorded decision with this version, and show each one that differs.',
  rows: [
    ['--run RUN', 'only this run, or the runs of this task (default: all)'],
    ['--all', 'every project in the state folder'],
    ...LOOK_ROWS,
  ],
  more: 'Uses the recorded facts and configuration, archived journals included. Nothing is run or written. Exit code 0 if all decisions are the same, 1 if some differ or cannot be repeated, 70 if a journal cannot be read.',
  examples: ['exitgate lab replay', 'exitgate lab replay --run 20260105-081500-3', 'exitgate lab replay --all --json'],
}

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('lab replay', args, OPTIONS)
  const { workspace, dir, run: wanted } = runPlace(values, io)
  const policyFor = await pastPolicies(workspace)
  const style = { color: usesColor(io.stdout, io.env, values['no-color']) }
  const documents: object[] = []
  const count = { decisions: 0, runs: 0, different: 0, undecided: 0, changedCode: 0, withoutEvidence: 0 }
  const broken = lookAt(dir, values.all, io, (each, project, archived) => {
    const read = (folder: string): void => {
      for (const one of differences(folder, policyFor, wanted, count)) {
        if (values.json) documents.push(differenceDocument(one, project))
        else io.stdout.write(differenceText(one, project, style))
      }
    }
    for (const folder of withArchived(each)) folder === each ? read(folder) : archived(folder, read)
    // An incomplete entry is not among the events, so report it here.
    for (const problem of readJournal(each).problems) warn(io, plain(problem))
  })
  if (values.run !== undefined && count.runs === 0 && broken.length === 0) throw new InputError(noSuchRun(values.run))
  if (values.json)
    io.stdout.write(`${JSON.stringify({ ...documentOf(count), differences: documents, unreadable: broken })}\n`)
  else if (countAll(count) === 0) io.stderr.write('No decisions here yet.\n')
  else io.stdout.write(replaySummary(count))
  return codeOf(count, broken)
}

/** The decisions of a journal that differ today. Counts everything it reads. */
function* differences(
  dir: string,
  policyFor: PolicyLookup,
  wanted: string | undefined,
  count: { -readonly [K in keyof ReplayCount]: number },
) {
  const fold = new Fold()
  const decideAgain = decideAgainWith(policyFor)
  let run: string | undefined
  for (const event of pastEvents(dir)) {
    const before = fold.past
    fold.add(event)
    if (event.type === 'run.started') {
      run = event.run
      if (wanted === undefined || run === wanted) count.runs += 1
    }
    if (event.type !== 'iteration.decided' || (wanted !== undefined && run !== wanted)) continue
    const again = decideAgain(event, before)
    if (again === undefined) count[before.config?.extensions === undefined ? 'undecided' : 'changedCode'] += 1
    else if (lacksEvidence(again)) count.withoutEvidence += 1
    else {
      count.decisions += 1
      if (again.difference === undefined) continue
      count.different += 1
      yield again
    }
  }
}

/** The proof differs, but its evidence was not recorded: no version could repeat it. */
const lacksEvidence = ({ event, decision }: Replayed): boolean =>
  Object.keys(event.observation.evidence).length === 0 &&
  event.verdict.gate.proof !== 'unknown' &&
  event.verdict.gate.proof !== decision.verdict.gate.proof

/** An unreadable journal is an error, not "all the same". */
function codeOf({ different, undecided, changedCode }: ReplayCount, broken: readonly Unreadable[]): number {
  if (broken.length > 0) return INTERNAL
  return different + undecided + changedCode > 0 ? DIFFERENT : 0
}

interface ReplayCount {
  readonly decisions: number
  readonly runs: number
  readonly different: number
  /** Decisions without a recorded configuration, which can't be repeated. */
  readonly undecided: number
  /** Decisions that used the project's own code, which has changed or is missing. */
  readonly changedCode: number
  /** Decisions whose evidence was not recorded. They say nothing about this version. */
  readonly withoutEvidence: number
}

const countAll = ({ decisions, undecided, changedCode, withoutEvidence }: ReplayCount): number =>
  decisions + undecided + changedCode + withoutEvidence

const documentOf = ({ changedCode, withoutEvidence, ...count }: ReplayCount): object => ({
  ...count,
  ...(changedCode === 0 ? {} : { changedCode }),
  ...(withoutEvidence === 0 ? {} : { withoutEvidence }),
})

const LONGEST = 300

/** A decision that differs today. */
function differenceText(replayed: Replayed, project: string | undefined, style: Style): string {
  const { event, before, decision, difference } = replayed
  const paint = painter(style)
  const label = (text: string): string => `  ${paint(text.padEnd(10), 'dim')}`
  const line = (verdict: Decided): string =>
    `${paintedSentence({ ...verdict, reason: verdict.reason.slice(0, LONGEST) }, paint)} (${plain(verdict.rule)})`
  const where = project === undefined ? '' : `${plain(project)}, `
  const values = `${valueText(difference?.recorded)} -> ${valueText(difference?.today)}`
  return `${[
    paint(`${where}run ${plain(before.run ?? '?')}, iteration ${event.iteration}`, 'bold'),
    `${label('recorded')}${line(event.verdict)}`,
    `${label('today')}${line(withoutTrace(decision.verdict))}`,
    `${label('differs')}${plain(difference?.field ?? '')}: ${values}`,
  ].join('\n')}\n`
}

function differenceDocument(replayed: Replayed, project: string | undefined): object {
  const { event, before, decision, difference } = replayed
  return {
    ...(project === undefined ? {} : { project }),
    run: before.run,
    iteration: event.iteration,
    recorded: event.verdict,
    today: withoutTrace(decision.verdict),
    difference,
  }
}

function replaySummary(count: ReplayCount): string {
  const { runs, different, undecided, changedCode, withoutEvidence } = count
  const all = `${plural(countAll(count), 'decision')} of ${plural(runs, 'run')}`
  const notes = [
    different === 0 ? '' : `${different} ${different === 1 ? 'differs' : 'differ'} today`,
    undecided === 0 ? '' : `${undecided} can't be repeated: the configuration was not recorded`,
    changedCode === 0 ? '' : `${changedCode} can't be repeated: the project's own code has changed or is missing`,
    withoutEvidence === 0 ? '' : `${withoutEvidence} can't be repeated: the evidence was not recorded`,
  ].filter((note) => note !== '')
  return `${all}: ${notes.length === 0 ? 'all the same' : notes.join(', ')}\n`
}

const valueText = (value: unknown): string =>
  value === undefined ? '(absent)' : plain(JSON.stringify(value)).slice(0, LONGEST)
