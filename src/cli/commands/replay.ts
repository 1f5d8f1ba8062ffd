import { withoutTrace } from '../../core/journal/event-inputs.ts'
import type { Decided } from '../../core/journal/events.ts'
import { Fold } from '../../core/journal/fold.ts'
import { decideAgainWith, type PolicyLookup, type Replayed } from '../../core/journal/replay.ts'
import { readJournal } from '../../journal/read.ts'
import { paintedSentence, painter, plain, type Style } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { DIFFERENT, INTERNAL } from '../exit-codes.ts'
import { lookAt, pastEvents, type Unreadable, withThoseAside } from '../history/journals.ts'
import { pastPolicies } from '../history/past-policy.ts'
import { type Io, usesColor } from '../io.ts'
import { parse } from '../parse.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { runPlace } from '../task-place.ts'

export const OPTIONS = { ...LOOK_OPTIONS, run: { type: 'string' }, all: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['replay [options]'],
  about:
    'Decides every iteration of the journal again, on the facts and under the configuration that are recorded there, and shows each decision that this version takes otherwise: what was recorded, what it is today, and the first field that differs.',
  rows: [
    ['--run RUN|TASK', 'that run only, or the runs of a task'],
    ['--all', 'every project in the state folder; a journal that cannot be read is named and left out'],
    ...LOOK_ROWS,
  ],
  more: 'Exit code: 0 when all are the same (a decision on evidence that is not recorded is only counted), 1 when some differ, 70 when a journal cannot be read. Journals that were reset are looked at too. Nothing is run and nothing is written.',
  examples: ['exitgate replay', 'exitgate replay --run 20260105-081500-3', 'exitgate replay --all --json'],
}

/** `exitgate replay`: every decision of the past again, on the same facts and under its own configuration. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('replay', args, OPTIONS)
  const { workspace, dir, run: wanted } = runPlace(values, io)
  const policyFor = await pastPolicies(workspace)
  const style = { color: usesColor(io.stdout, io.env, values['no-color']) }
  const told: object[] = []
  const count = { decisions: 0, runs: 0, different: 0, undecided: 0, changedCode: 0, withoutEvidence: 0 }
  const broken = lookAt(dir, values.all, io, (each, project, aside) => {
    const read = (folder: string): void => {
      for (const one of differences(folder, policyFor, wanted, count)) {
        if (values.json) told.push(differenceDocument(one, project))
        else io.stdout.write(differenceText(one, project, style))
      }
    }
    for (const folder of withThoseAside(each)) folder === each ? read(folder) : aside(folder, read)
    // An entry that is not whole is not among them, whoever cut it.
    for (const problem of readJournal(each).problems) io.stderr.write(`exitgate: ${plain(problem)}\n`)
  })
  if (values.run !== undefined && count.runs === 0 && broken.length === 0)
    throw new InputError(`there is no run ${plain(values.run)} here; exitgate history --events lists them`)
  if (values.json)
    io.stdout.write(`${JSON.stringify({ ...documentOf(count), differences: told, unreadable: broken })}\n`)
  else if (countAll(count) === 0) io.stderr.write('exitgate: nothing has been decided here yet\n')
  else io.stdout.write(replaySummary(count))
  return codeOf(count, broken)
}

/** Those of a journal that are decided otherwise today; whatever is looked at is counted. */
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

/** The recorded proof was another one, and nothing of what it was found with is recorded: no version could find it again. */
const lacksEvidence = ({ event, decision }: Replayed): boolean =>
  Object.keys(event.observation.evidence).length === 0 &&
  event.verdict.gate.proof !== 'unknown' &&
  event.verdict.gate.proof !== decision.verdict.gate.proof

/** A journal that could not be read is no journal in which all is the same. */
function codeOf({ different, undecided, changedCode }: ReplayCount, broken: readonly Unreadable[]): number {
  if (broken.length > 0) return INTERNAL
  return different + undecided + changedCode > 0 ? DIFFERENT : 0
}

interface ReplayCount {
  readonly decisions: number
  readonly runs: number
  readonly different: number
  /** Decisions without a configuration: they cannot be taken again. */
  readonly undecided: number
  /** Decisions with code of the project's own that has changed since or is not here. */
  readonly changedCode: number
  /** Decisions on evidence that is not recorded. They say nothing about this version. */
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

/** A decision that is another one today, for people. */
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

/** The same for programs. */
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

/** The last line: whether all is the same. */
function replaySummary(count: ReplayCount): string {
  const { runs, different, undecided, changedCode, withoutEvidence } = count
  const all = `${number(countAll(count), 'decision')} of ${number(runs, 'run')}`
  const unproven =
    withoutEvidence === 0 ? [] : [`${withoutEvidence} without recorded evidence, so it cannot be decided again`]
  const without = undecided === 0 ? [] : [`${undecided} without a recorded configuration`]
  const changed =
    changedCode === 0
      ? []
      : [
          `${changedCode} with code of the project's own that has changed since or is not here, so it cannot be decided again`,
        ]
  const said = [
    ...(different === 0 ? [] : [`${different} decided otherwise today`]),
    ...without,
    ...changed,
    ...unproven,
  ]
  return `${all}: ${said.length === 0 ? 'all the same' : said.join(', ')}\n`
}

const number = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

const valueText = (value: unknown): string =>
  value === undefined ? '(absent)' : plain(JSON.stringify(value)).slice(0, LONGEST)
