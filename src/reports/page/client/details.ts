import type { Finding } from '../../../core/types.ts'
import type { Iteration, Output } from '../types.ts'
import { changeBlock } from './changes.ts'
import { el, fold, moneyText, plural, spanText, tokensText, whenText, words } from './dom.ts'
import { evidenceTable } from './evidence.ts'
import { answer } from './shapes.ts'

/** Everything about one iteration: the two keys, what was missing, evidence, the agent's words, and the trace. */
export function details(iteration: Iteration, run: string): readonly (HTMLElement | undefined)[] {
  const { n, evidence, missing, warnings, said } = iteration
  const changes = evidence.flatMap((each) => each.changes ?? [])
  return [
    el('h2', { tabindex: '-1', id: 'details-title' }, `Iteration ${n}`),
    el(
      'p',
      { class: 'decision' },
      el('strong', {}, iteration.verdict),
      ' by the rule ',
      el('code', {}, iteration.rule),
    ),
    el('p', { class: 'reason' }, words(iteration.reason)),
    keys(iteration),
    trouble(iteration),
    list(iteration.action === 'continue' ? 'What kept the gate shut' : 'Missing', missing),
    list(
      'Warnings',
      warnings.filter((each) => each !== iteration.reason),
    ),
    el('h3', {}, 'Evidence'),
    evidence.length === 0 ? el('p', { class: 'soft' }, 'None was gathered.') : evidenceTable(evidence),
    changes.length === 0 ? undefined : el('h3', {}, 'Tests and what runs them, before and after'),
    ...changes.map(changeBlock),
    el('h3', {}, 'What the agent said'),
    said.text === ''
      ? el('p', { class: 'soft' }, 'Nothing that was kept.')
      : textBlock(said.text, 'The end of its message'),
    fieldList(iteration),
    list('Not done, in its own words', said.vetoes),
    list('Problems in its words', said.problems),
    list('Refused to it by its host', said.denials),
    outputs(iteration.output),
    el('h3', {}, 'Every rule, in order'),
    trace(iteration, run),
    measures(iteration),
  ]
}

function keys({ claim, proof, said, spent, at, attempts, phase, task, breaker }: Iteration): HTMLElement {
  const source = said.source === 'none' ? 'no word about it' : `said by ${said.source}`
  const rows: readonly (readonly [string, HTMLElement | string])[] = [
    ['Claim', el('span', {}, answer(claim), ` ${source}`)],
    ['Proof', answer(proof)],
    ...(phase === undefined ? [] : [['Phase', words(phase)] as const]),
    ...(task === undefined ? [] : [['Task', words(task)] as const]),
    ['Breaker', breaker],
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
    ...(interrupted ? ['It was interrupted.'] : []),
    ...(differs === undefined
      ? []
      : [`Decided again today, the rule would be ${differs}: it was recorded by another version.`]),
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

/** A long text in a box of its own that the keyboard can scroll. */
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
    el('h3', {}, 'Kept files'),
    ...output.files.map(({ name, text, left }) =>
      text === undefined
        ? el('p', {}, el('code', {}, words(name)), ' in the state folder')
        : fold(el('code', {}, words(name)), () => [
            left === undefined
              ? undefined
              : el('p', { class: 'soft' }, `${plural(left, 'byte')} before this are left out.`),
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
    'Left out here, because the run is long or was decided with code of its own. ',
    el('code', {}, words(command)),
    ' shows what is known.',
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

/** The rules as they were asked. Those before the deciding one said no, those behind it were not asked then. */
function traceTree(findings: readonly Finding[], rule: string): HTMLElement {
  const decider = findings.findIndex(({ name }) => name === rule)
  return el(
    'ol',
    { class: 'trace' },
    ...findings.map((found, at) => {
      const place = at === decider ? 'decided' : decider >= 0 && at > decider ? 'behind' : 'before'
      return el('li', { class: place }, branch(found, place === 'decided'))
    }),
  )
}

function branch(found: Finding, open: boolean): HTMLElement {
  const line = [
    answer(found.answer),
    el('b', {}, words(found.name)),
    found.detail === '' ? undefined : el('span', { class: 'detail' }, words(found.detail)),
    open ? el('span', { class: 'tag' }, 'decided') : undefined,
  ]
  const parts = found.parts ?? []
  if (parts.length === 0) return el('div', { class: 'leaf' }, line)
  return fold(line, () => el('ul', {}, ...parts.map((part) => el('li', {}, branch(part, false)))), open)
}
