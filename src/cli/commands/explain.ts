import type { Decided, JournalEvent, State } from '../../core/journal/events.ts'
import { Fold } from '../../core/journal/fold.ts'
import { decideAgainWith, type PolicyLookup, type Replayed } from '../../core/journal/replay.ts'
import { otherCode } from '../../core/own-parts.ts'
import { askAll } from '../../core/policy/decide.ts'
import type { Finding } from '../../core/types.ts'
import { readEvents } from '../../journal/read.ts'
import { journalOfRun } from '../../journal/sessions.ts'
import { findingText, headline, painter, plain, type Style } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { DIFFERENT } from '../exit-codes.ts'
import { pastPolicies } from '../history/past-policy.ts'
import { type Io, usesColor } from '../io.ts'
import { parse, wholeNumber } from '../parse.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { runPlace } from '../task-place.ts'

export const OPTIONS = { ...LOOK_OPTIONS, run: { type: 'string' } } as const

export const HELP: Page = {
  usage: ['explain [ITERATION] [options]'],
  about:
    'Why the last (or that) iteration of the run was decided so: every rule with its answer, and what would have opened the gate.',
  rows: [['--run RUN', 'a run of the past instead of the last one'], ...LOOK_ROWS],
  examples: ['exitgate explain', 'exitgate explain 3 --json'],
}

/** `exitgate explain`: decide that iteration again on the same facts, and show every rule with its answer. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('explain', args, OPTIONS, 1)
  const { workspace, dir, run } = runPlace(values, io)
  const iteration = wholeNumber('the iteration', positionals[0], 1)
  const found = find(journalOfRun(dir, run), await pastPolicies(workspace), run, iteration)
  if (found === undefined) throw new InputError(notFound(values.run, iteration))
  const style = { color: usesColor(io.stdout, io.env, values['no-color']) }
  if (found.again === undefined) {
    io.stdout.write(values.json ? `${JSON.stringify(recordedDocument(found))}\n` : recordedText(found, style))
    return DIFFERENT
  }
  const rules = askAll(found.again.decision.facts, found.again.policy)
  if (values.json) io.stdout.write(`${JSON.stringify(document(found.again, rules))}\n`)
  else io.stdout.write(explainText(found.again, rules, style))
  return 0
}

/** The last decision that fits; of a run named by its id, else of the newest run. */
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
  /** Absent when it cannot be decided again: its code has changed. */
  readonly again?: Replayed
}

function recordedDocument({ event: { iteration, at, verdict }, before }: Found): object {
  const cannotTell = otherCode(before.config ?? {})
  return { run: before.run, preset: before.config?.preset, iteration, at, ...verdict, recorded: verdict, cannotTell }
}

/** The decision as it was recorded, without the rules that led to it. */
function recordedText({ event, before }: Found, style: Style): string {
  const paint = painter(style)
  const { verdict, iteration } = event
  return `${[
    `${headline(verdict, paint)} ${paint(`run ${before.run}, iteration ${iteration}, preset ${before.config?.preset}`, 'dim')}`,
    `because of the rule ${paint(verdict.rule, 'bold')}: ${plain(verdict.reason)}`,
    '',
    ...gateLines(verdict),
    '',
    `This is as recorded: ${otherCode(before.config ?? {})}.`,
  ].join('\n')}\n`
}

function notFound(run: string | undefined, iteration: number | undefined): string {
  if (run === undefined && iteration === undefined) return 'nothing has been decided here yet; run exitgate check first'
  const what = [iteration !== undefined && `iteration ${iteration}`, run !== undefined && `run ${run}`]
    .filter(Boolean)
    .join(' of ')
  return `there is no decision for ${what}; exitgate history lists them`
}

function document({ event, before, policy, decision, same }: Replayed, rules: ReturnType<typeof askAll>): object {
  const { iteration, at } = event
  const { trace: _trace, ...verdict } = decision.verdict
  return {
    run: before.run,
    preset: policy.preset,
    iteration,
    at,
    ...verdict,
    rules,
    weaker: policy.weaker,
    same,
    recorded: event.verdict,
  }
}

/** Why, rule by rule: those before the deciding one said no, those behind it were not asked then. */
function explainText(replayed: Replayed, rules: readonly Finding[], style: Style): string {
  const paint = painter(style)
  const { event, before, policy, decision, same } = replayed
  const { verdict, facts } = decision
  const decider = rules.findIndex(({ name }) => name === verdict.rule)
  const lines = [
    `${headline(verdict, paint)} ${paint(`run ${before.run}, iteration ${event.iteration}, preset ${policy.preset}${facts.phase ? `, phase ${facts.phase}` : ''}`, 'dim')}`,
    `because of the rule ${paint(verdict.rule, 'bold')}: ${plain(verdict.reason)}`,
    '',
    'Rules in order:',
    ...rules.flatMap((rule, i) => ruleLines(rule, i, decider, paint)),
    '',
    ...gateLines(verdict),
  ]
  if (policy.weaker.length > 0)
    lines.push('', `Where ${policy.preset} is weaker than default:`, ...policy.weaker.map((each) => `  - ${each}`))
  if (!same)
    lines.push(
      '',
      `${paint('warning:', 'yellow')} decided again it differs from what was recorded (${event.verdict.rule}): it was recorded by another version`,
    )
  return `${lines.join('\n')}\n`
}

function ruleLines(rule: Finding, i: number, decider: number, paint: ReturnType<typeof painter>): readonly string[] {
  const mark = i === decider ? paint('=>', 'bold') : i < decider ? '  ' : paint(' .', 'dim')
  const text = findingText(rule, paint).split('\n')
  return text.map((line, n) => (n === 0 ? `${mark} ${line}` : `     ${line}`))
}

function gateLines(verdict: Decided): readonly string[] {
  const completed = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  if (completed && verdict.missing.length === 0) return ['The gate was open: both keys turned in this iteration.']
  if (completed)
    return ['It ended as completed although this was missing:', ...verdict.missing.map((each) => `  - ${plain(each)}`)]
  return ['The gate would have opened with:', ...verdict.missing.map((each) => `  - instead of: ${plain(each)}`)]
}
