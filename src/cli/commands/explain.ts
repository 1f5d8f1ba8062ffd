import { foldText } from '../../../packages/core/src/fold.ts'
import { plainWords } from '../../../packages/core/src/plain-words.ts'
import { errorAdvice } from '../../agents/error-advice.ts'
import type { Decided, JournalEvent, State } from '../../core/journal/events.ts'
import { Fold } from '../../core/journal/fold.ts'
import { decideAgainWith, type PolicyLookup, type Replayed } from '../../core/journal/replay.ts'
import { missingCodeText } from '../../core/own-parts.ts'
import {
  ANSWER_TEXT,
  checkTitle,
  countedTitle,
  failureTitle,
  inOrder,
  isInformation,
} from '../../core/policy/check-text.ts'
import { askAll } from '../../core/policy/decide.ts'
import { verdictSentence } from '../../core/policy/ending-text.ts'
import { remedies } from '../../core/policy/remedy.ts'
import { AGENT_RULES } from '../../core/policy/rules/failing.ts'
import { lastWordRows } from '../../core/signals/last-words.ts'
import type { Answer, EvidenceSet, Finding } from '../../core/types.ts'
import { readEvents, readJournal } from '../../journal/read.ts'
import { journalOfRun } from '../../journal/sessions.ts'
import {
  answerText,
  decisionLines,
  findingText,
  type Paint,
  paintedSentence,
  painter,
  plain,
  type Style,
  withOutput,
} from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { DIFFERENT } from '../exit-codes.ts'
import { endedLater, explainEnd, lacksDecision, notFound } from '../history/explain-end.ts'
import { pastPolicies } from '../history/past-policy.ts'
import { type Io, usesColor } from '../io.ts'
import { parse, wholeNumber } from '../parse.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { runPlace } from '../task-place.ts'

export const OPTIONS = { ...LOOK_OPTIONS, run: { type: 'string' }, all: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['explain [ITERATION] [options]'],
  about: 'Explain why the last iteration, or ITERATION, was accepted or rejected.',
  rows: [
    ['--run RUN', 'run id or task (default: the last run)'],
    ['--all', 'every rule with its findings'],
    ...LOOK_ROWS,
  ],
  examples: ['exitgate explain', 'exitgate explain 3', 'exitgate explain --all'],
}

/** `exitgate explain`: decides that iteration again on the same facts, which gives back the trace of its rules. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('explain', args, OPTIONS, 1)
  const { workspace, dir, run } = runPlace(values, io)
  const iteration = wholeNumber('The iteration', positionals[0], 1)
  const journal = journalOfRun(dir, run)
  const found = find(journal, await pastPolicies(workspace), run, iteration)
  const { state } = readJournal(journal)
  if (iteration === undefined && lacksDecision(state, found?.before.run, run))
    return explainEnd(journal, state, values.json === true, io)
  if (found === undefined) throw new InputError(notFound(values.run, iteration))
  const style = { color: usesColor(io.stdout, io.env, values['no-color']) }
  const { ended, sentence = '' } = (iteration === undefined && endedLater(state, found.before, found.event)) || {}
  const show = (data: object, text: string) =>
    io.stdout.write(
      values.json ? `${JSON.stringify({ ...data, ended })}\n` : foldText(sentence + text, io.stdout.columns),
    )
  if (found.again === undefined) {
    show(recordedDocument(found), recordedText(found, style))
    return DIFFERENT
  }
  const rules = askAll(found.again.decision.facts, found.again.policy)
  show(document(found.again, rules), explainText(found.again, rules, values.all === true, style))
  return 0
}

/** The last decision of that run and iteration, or of the newest run. */
function find(
  dir: string,
  policyFor: PolicyLookup,
  run: string | undefined,
  iteration: number | undefined,
): Found | undefined {
  const fold = new Fold()
  let found: Pick<Found, 'event' | 'before'> | undefined
  for (const event of readEvents(dir)) {
    const before = fold.past
    fold.add(event)
    if (event.type !== 'iteration.decided' || before.config === undefined) continue
    if (run !== undefined && before.run !== run) continue
    if (iteration !== undefined && event.iteration !== iteration) continue
    found = { event, before }
  }
  const again = found && decideAgainWith(policyFor)(found.event, found.before)
  return found && { ...found, ...(again === undefined ? {} : { again }) }
}

interface Found {
  readonly event: Extract<JournalEvent, { type: 'iteration.decided' }>
  readonly before: State
  /** Absent when its own code has changed, so that exitgate can't decide it again. */
  readonly again?: Replayed
}

function recordedDocument({ event: { iteration, at, verdict }, before }: Found): object {
  const cannotTell = missingCodeText(before.config ?? {})
  return { run: before.run, preset: before.config?.preset, iteration, at, ...verdict, recorded: verdict, cannotTell }
}

/** The decision as it was recorded, without the rules that led to it. */
function recordedText({ event, before }: Found, style: Style): string {
  const lines = decisionText(event, before, event.verdict, undefined, painter(style))
  return `${[...lines, `Shown as recorded: ${missingCodeText(before.config ?? {})}.`].join('\n')}\n`
}

function document({ event, before, policy, decision, same }: Replayed, rules: ReturnType<typeof askAll>): object {
  const { iteration, at, verdict: recorded } = event
  const { trace: _trace, ...verdict } = decision.verdict
  const { preset, weaker } = policy
  return { run: before.run, preset, iteration, at, ...verdict, rules, weaker, same, recorded }
}

/** What decided, what is missing, what to do, and with `all` the rules. */
function explainText(replayed: Replayed, rules: readonly Finding[], all: boolean, style: Style): string {
  const paint = painter(style)
  const { event, before, policy, decision, same } = replayed
  const { verdict, facts } = decision
  const lines = [
    ...decisionText(event, before, verdict, facts.phase, paint),
    ...(all
      ? traceLines(rules, verdict.rule, paint)
      : [paint('All rules with their findings: exitgate explain --all', 'dim')]),
  ]
  if (policy.weaker.length > 0)
    lines.push(
      '',
      `Where preset ${policy.preset} is weaker than default:`,
      ...policy.weaker.map((each) => `  - ${each}`),
    )
  if (!same)
    lines.push(
      '',
      `${paint('warning:', 'yellow')} this version of exitgate decides differently. It was recorded as: ${plain(verdictSentence(event.verdict))}`,
    )
  return `${lines.join('\n')}\n`
}

/** The verdict, what the agent said last, the checks, what is missing, and what to do. */
export function decisionText(
  { iteration, observation }: Found['event'],
  before: State,
  verdict: Decided,
  phase: string | undefined,
  paint: Paint,
): readonly string[] {
  const { run, config, baseline } = before
  const { evidence } = observation
  const required = config?.required ?? []
  const advice = observation.failed?.cause === undefined ? [] : errorAdvice(observation.failed.cause, before)
  return [
    paintedSentence(verdict, paint),
    paint(`Run ${run}, iteration ${iteration}, preset ${config?.preset}${phase ? `, phase ${phase}` : ''}`, 'dim'),
    ...lastWordRows(observation, verdict.reason).map(([name, text]) => plain(`The ${name}: ${text}`)),
    '',
    ...checkLines(evidence, required, paint),
    ...decisionLines(evidence),
    ...missingLines(verdict, evidence),
    ...todoLines(verdict, evidence, { required, baseline }, advice),
    '',
  ]
}

function checkLines(evidence: EvidenceSet, required: readonly string[], paint: Paint): readonly string[] {
  const all = inOrder(evidence)
  if (all.length === 0) return ['No check ran in this iteration.']
  return [
    'Checks:',
    ...all.map((each) => {
      const information = isInformation(each.check, required)
      const title = each.check === 'clean' && each.answer === 'no' ? failureTitle('clean') : countedTitle(each)
      const text = `${plain(title)}${information ? ' (not required)' : ''}: ${withOutput(each.detail, 10)}`
      return information ? paint(`  ${'-'.padEnd(8)}${text}`, 'dim') : `  ${padded(each.answer, paint)}${text}`
    }),
  ]
}

const padded = (answer: Answer, paint: Paint): string =>
  `${answerText(answer, paint)}${' '.repeat(8 - ANSWER_TEXT[answer].length)}`

const isCompleted = (verdict: Decided): boolean =>
  verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')

/** A check is listed above with its detail, so here its name is enough. */
function missingLines(verdict: Decided, evidence: EvidenceSet): readonly string[] {
  const title = isCompleted(verdict) ? 'Completed although this is missing:' : 'To complete, this run still needs:'
  const short = (item: string): string => {
    const about = Object.values(evidence).find(({ detail }) => detail !== '' && item.endsWith(plainWords(detail)))
    if (/^the agent (?:has not reported|says it is not done)/.test(item)) return 'the agent to report that it is done'
    return about === undefined ? item : `"${checkTitle(about.check)}" to pass`
  }
  return verdict.missing.length === 0 ? [] : ['', title, ...verdict.missing.map((each) => `  - ${plain(short(each))}`)]
}

function todoLines(
  verdict: Decided,
  evidence: EvidenceSet,
  options: Parameters<typeof remedies>[1],
  advice: readonly string[] = [],
): readonly string[] {
  // An agent that fails has to be fixed first. What its work lacks says nothing then.
  const steps = AGENT_RULES.includes(verdict.rule) ? advice : [...advice, ...remedies(evidence, options)]
  const todo = (isCompleted(verdict) ? [] : steps).map((each) => `  - ${each}`)
  return todo.length === 0 ? [] : ['', 'What to do:', ...todo]
}

/** Every rule in order: those before the deciding one did not apply, those after it were not needed. */
function traceLines(rules: readonly Finding[], decider: string, paint: Paint): readonly string[] {
  const at = rules.findIndex(({ name }) => name === decider)
  return [
    'All rules in order (=> decided, . not needed):',
    ...rules.flatMap((rule, i) => {
      const mark = i === at ? paint('=>', 'bold') : i < at ? '  ' : paint(' .', 'dim')
      const text = findingText(rule, paint).split('\n')
      return text.map((line, n) => (n === 0 ? `${mark} ${line}` : `     ${line}`))
    }),
  ]
}
