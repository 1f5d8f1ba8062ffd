import { el, fold, plural, words } from '../../reports/page/client/dom.ts'
import { shape } from '../../reports/page/client/shapes.ts'
import { ANSWERS, type Columns, MARKS } from '../../reports/page/columns.ts'
import type { LiveRun } from '../../reports/runs/live.ts'
import type { RowFinding, RunRow } from '../../reports/runs/row.ts'
import { planText } from './head.ts'

export interface Aside {
  readonly element: HTMLElement
  /** `cannot`: why nothing can be accepted here. */
  show(row: RunRow, live: LiveRun | undefined, columns: Columns | undefined, cannot: string | undefined): void
}

type Accept = (finding: RowFinding) => void
const RECENT = 6
const PLAN_MARKS = { done: '\u2713', current: '\u25b8', open: '', skipped: '\u2013' } as const

/** Next to the output: what needs you, what is missing, the plan, and the latest iterations. */
export function aside(accept: Accept, open: (n: number) => void): Aside {
  const findings = el('section', { class: 'card findings', 'aria-label': 'Findings' })
  const missing = el('section', { class: 'card', 'aria-label': 'Still needed' })
  const plan = el('section', { class: 'card plan', 'aria-label': 'Plan' })
  const recent = el('section', { class: 'card recent', 'aria-label': 'Latest iterations' })
  const drawn = new Map<HTMLElement, string>()
  /** Draws a part again only if it is different, so that the focus stays. */
  const put = (part: HTMLElement, key: unknown, inside: () => readonly HTMLElement[]): void => {
    const text = JSON.stringify([key])
    if (drawn.get(part) === text) return
    drawn.set(part, text)
    const made = inside()
    part.hidden = made.length === 0
    part.replaceChildren(...made)
  }
  return {
    element: el(
      'aside',
      { class: 'aside', 'aria-label': 'Plan, findings and iterations' },
      findings,
      missing,
      plan,
      recent,
    ),
    show(row, live, columns, cannot) {
      put(findings, [row.findings, row.answers, cannot], () => findingsIn(row, cannot, accept))
      put(missing, row.missing, () =>
        row.missing.length === 0
          ? []
          : [el('h2', {}, 'Still needed'), el('ul', {}, ...row.missing.map((each) => el('li', {}, words(each))))],
      )
      put(plan, live?.plan, () => planIn(live?.plan))
      put(recent, columns && [columns.n.length, columns.n.at(-1)], () => (columns ? recentIn(columns, open) : []))
    },
  }
}

function findingsIn(
  { findings = [], answers }: RunRow,
  cannot: string | undefined,
  accept: Accept,
): readonly HTMLElement[] {
  const item = (finding: RowFinding): HTMLElement => {
    const button = el('button', { type: 'button', class: 'accept' }, `Accept ${finding.id}`)
    button.addEventListener('click', () => accept(finding))
    const command = el('p', {}, 'If this is right: ', el('code', {}, `exitgate accept ${finding.id} --reason "..."`))
    button.disabled = cannot !== undefined
    button.title = cannot ?? ''
    const can = cannot === undefined ? [button] : answers ? [button, command] : [command]
    return el('li', {}, el('p', {}, words(finding.text)), can)
  }
  const mine = findings.filter(({ agents }) => !agents).map(item)
  const others = findings.filter(({ agents }) => agents).map(item)
  const title = `${plural(mine.length, 'finding')} ${mine.length === 1 ? 'needs' : 'need'} you`
  return [
    ...(mine.length === 0 ? [] : [el('h2', {}, shape('no'), title), el('ul', {}, ...mine)]),
    ...(others.length === 0
      ? []
      : [fold(`The agent is to fix ${plural(others.length, 'test')}`, () => el('ul', {}, ...others))]),
  ]
}

function planIn(plan: LiveRun['plan'] | undefined): readonly HTMLElement[] {
  if (plan === undefined || plan === null || plan.items.length === 0) return []
  const done = plan.items.filter(({ state }) => state === 'done').length
  const fill = el('span', { class: 'fill' })
  fill.style.width = `${((100 * done) / plan.items.length).toFixed(1)}%`
  return [
    el('h2', {}, 'Plan ', el('span', { class: 'soft' }, planText(plan.items))),
    el('span', { class: 'meter', 'aria-hidden': 'true' }, fill),
    el(
      'ol',
      { tabindex: '0', 'aria-label': 'Items of the plan' },
      ...plan.items.map(({ title, state }) =>
        el(
          'li',
          { class: state },
          el('span', { class: 'box', 'aria-hidden': 'true' }, PLAN_MARKS[state]),
          el('span', {}, words(title), el('span', { class: 'unseen' }, ` (${state})`)),
        ),
      ),
    ),
  ]
}

function recentIn(columns: Columns, open: (n: number) => void): readonly HTMLElement[] {
  const count = columns.n.length
  if (count === 0) return []
  const places = Array.from({ length: Math.min(RECENT, count) }, (_, at) => count - 1 - at)
  const rows = places.map((place) => {
    const n = columns.n[place] ?? 0
    const marks = columns.marks[place] ?? 0
    const proof = ANSWERS[columns.proof[place] ?? 2] ?? 'unknown'
    const title =
      (marks & MARKS.refused) !== 0 ? 'claim rejected' : (marks & MARKS.opened) !== 0 ? 'verified' : 'not done'
    const gist = columns.texts[columns.gist[place] ?? -1] ?? ''
    const button = el(
      'button',
      { type: 'button', class: 'iteration' },
      shape(proof),
      el('span', {}, el('b', {}, `${n.toLocaleString('en')} · ${title}`), el('span', { class: 'gist' }, words(gist))),
    )
    button.addEventListener('click', () => open(n))
    return el('li', {}, button)
  })
  return [el('h2', {}, 'Iterations ', el('span', { class: 'soft' }, count.toLocaleString('en'))), el('ul', {}, ...rows)]
}
