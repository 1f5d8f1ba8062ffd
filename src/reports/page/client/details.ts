import type { Finding } from '../../../core/types.ts'
import { BREAKER_TEXT } from '../../plain-words.ts'
import type { Iteration, Output } from '../types.ts'
import { changeBlock } from './changes.ts'
import { el, fold, moneyText, plural, spanText, tokensText, whenText, words } from './dom.ts'
import { evidenceTable } from './evidence.ts'
import { answer, claimed, shape } from './shapes.ts'

/** Everything about one iteration: claim and proof, what was missing, the checks, the agent's report, and the trace. */
export function details(iteration: Iteration, run: string, diff?: HTMLElement): readonly (HTMLElement | undefined)[] {
  const { n, evidence, missing, warnings, said } = iteration
  const changes = evidence.flatMap((each) => each.changes ?? [])
  return [
    el('h2', { tabindex: '-1', id: 'details-title' }, `Iteration ${n}`),
    el('p', { class: 'reason' }, words(iteration.reason)),
    factsOf(iteration),
    trouble(iteration),
    list(iteration.action === 'continue' ? 'Still needed' : 'Missing', missing),
    list(
      'Warnings',
      warnings.filter((each) => each !== iteration.reason),
    ),
    el('h3', {}, 'Checks'),
    evidence.length === 0 ? el('p', { class: 'soft' }, 'No check ran.') : evidenceTable(evidence),
    diff === undefined ? undefined : el('h3', {}, 'Changes in this iteration'),
    diff,
    changes.length === 0 ? undefined : el('h3', {}, 'Findings'),
    ...changes.map(changeBlock),
    el('h3', {}, 'Agent report'),
    said.text === '' ? el('p', { class: 'soft' }, 'None.') : textBlock(said.text, 'The end of its message'),
    fieldList(iteration),
    list('Open work it reported', said.vetoes),
    list('Problems in its status block', said.problems),
    list('Denied tools', said.denials),
    outputs(iteration.output),
    el('h3', {}, 'All rules in order'),
    trace(iteration, run),
    measures(iteration),
  ]
}

function factsOf({ claim, proof, spent, at, attempts, phase, task, breaker }: Iteration): HTMLElement {
  const rows: readonly (readonly [string, HTMLElement | string])[] = [
    ['Claim', claimed(claim)],
    ['Proof', answer(proof)],
    ...(phase === undefined ? [] : [['Phase', words(phase)] as const]),
    ...(task === undefined ? [] : [['Task', words(task)] as const]),
    ['Circuit breaker', BREAKER_TEXT[breaker]],
    ['Decided', whenText(at)],
    [
      'Spent',
      [
        spanText(spent.ms),
        ...(spent.usd > 0 ? [moneyText(spent.usd)] : []),
        ...(spent.tokens > 0 ? [tokensText(spent.tokens)] : []),
        ...(attempts > 1 ? [plural(attempts, 'start')] : []),
      ].join(', '),
    ],
  ]
  return el(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}

function trouble({ failed, forced, interrupted, differs }: Iteration): HTMLElement | undefined {
  const told = [
    ...(failed === undefined ? [] : [`The iteration failed: ${failed}`]),
    ...(forced === undefined ? [] : [`Forced by ${forced.by}: ${forced.reason}`]),
    ...(interrupted ? ['Interrupted.'] : []),
    ...(differs === undefined ? [] : [`This version of exitgate would decide by rule ${differs}.`]),
  ]
  return told.length === 0
    ? undefined
    : el('ul', { class: 'trouble' }, ...told.map((each) => el('li', {}, words(each))))
}

function list(title: string, items: readonly string[]): HTMLElement | undefined {
  if (items.length === 0) return undefined
  return el(
    'section',
    {},
    el('h3', {}, title),
    el('ul', { class: 'items' }, ...items.map((each) => el('li', {}, words(each)))),
  )
}

/** A long text in a scrollable box. */
function textBlock(text: string, label: string): HTMLElement {
  return el('pre', { class: 'text', tabindex: '0', role: 'region', 'aria-label': label, dir: 'auto' }, text)
}

function fieldList({ said }: Iteration): HTMLElement | undefined {
  if (said.fields.length === 0) return undefined
  const rows = said.fields.map(([name, value]) =>
    el('div', {}, el('dt', {}, words(name)), el('dd', {}, words(String(value)))),
  )
  return el('dl', { class: 'facts fields' }, ...rows)
}

function outputs(output: Output | undefined): HTMLElement | undefined {
  if (output === undefined || output.files.length === 0) return undefined
  return el(
    'section',
    {},
    el('h3', {}, 'Files'),
    ...output.files.map(({ name, text, left }) =>
      text === undefined
        ? el('p', {}, el('code', {}, words(name)), ' in the state folder')
        : fold(el('code', {}, words(name)), () => [
            left === undefined
              ? undefined
              : el('p', { class: 'soft' }, `The first ${plural(left, 'byte')} are left out.`),
            textBlock(text, name),
          ]),
    ),
  )
}

function trace({ trace: findings, rule, n }: Iteration, run: string): HTMLElement {
  if (findings !== undefined) return traceTree(findings, rule)
  const command = `exitgate explain ${n} --run ${run}`
  return el(
    'p',
    { class: 'soft' },
    'Not included, because the run is long or uses its own code. ',
    el('code', {}, words(command)),
    ' shows it.',
  )
}

function measures({ measures: numbers }: Iteration): HTMLElement | undefined {
  const entries = Object.entries(numbers)
  if (entries.length === 0) return undefined
  return fold(`Measures (${entries.length})`, () =>
    el(
      'dl',
      { class: 'facts' },
      ...entries.map(([name, value]) => el('div', {}, el('dt', {}, words(name)), el('dd', {}, String(value)))),
    ),
  )
}

/** The rules in order: those before the deciding one did not apply, those after it were not needed. */
function traceTree(findings: readonly Finding[], rule: string): HTMLElement {
  const decider = findings.findIndex(({ name }) => name === rule)
  return el(
    'ol',
    { class: 'trace' },
    ...findings.map((found, at) => {
      const place = at === decider ? 'decided' : decider >= 0 && at > decider ? 'after' : 'before'
      return el('li', { class: place }, branch(found, place === 'decided', true))
    }),
  )
}

/** A rule that doesn't apply has not failed; a part of it can. */
function branch(found: Finding, open: boolean, isRule = false): HTMLElement {
  const none = el('span', { class: 'answer left' }, shape('left'), 'did not apply')
  const line = [
    isRule && found.answer === 'no' ? none : answer(found.answer),
    el('b', {}, words(found.name)),
    found.detail === '' ? undefined : el('span', { class: 'detail' }, words(found.detail)),
    open ? el('span', { class: 'tag' }, 'decided') : undefined,
  ]
  const parts = found.parts ?? []
  if (parts.length === 0) return el('div', { class: 'leaf' }, line)
  return fold(line, () => el('ul', {}, ...parts.map((part) => el('li', {}, branch(part, false)))), open)
}
