import { endingText } from '../../../core/policy/ending-text.ts'
import type { PageData } from '../pack.ts'
import { el, marked, moneyText, spanText, tokensText, whenText, words } from './dom.ts'
import { answerOfEnd, shape } from './shapes.ts'
import { themeSwitch } from './theme.ts'
import { handoffSection } from './work.ts'

/** How it ended and why, what it took, and what to do next. */
export function header({ head }: PageData): HTMLElement {
  const { end } = head
  const tone = answerOfEnd(end?.outcome, end?.ending)
  return el(
    'header',
    { class: `top ${tone}` },
    el(
      'div',
      { class: 'bar' },
      el('span', { class: 'mark' }, 'exitgate report'),
      head.project === undefined ? undefined : el('span', { class: 'project' }, words(head.project)),
      themeSwitch(),
    ),
    el('h1', {}, shape(tone), titleText(head)),
    head.task === undefined ? undefined : el('p', { class: 'project' }, words(`Task: ${head.task}`)),
    el('p', { class: 'reason' }, words(end === undefined ? unfinished(head) : sentenceAfterTitle(end.reason))),
    ...(end?.words ?? []).map(([name, text]) => el('p', { class: 'soft' }, words(`The ${name}: ${text}`))),
    facts(head),
    handoffSection(head.work),
    lists(head),
  )
}

function titleText({ end, running }: PageData['head']): string {
  if (end === undefined) return running === undefined ? 'Not finished' : 'Still running'
  const text = endingText(end.ending, end.cause)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** The title says it already. */
function sentenceAfterTitle(reason: string): string {
  const text = reason.replace(/^Verified: /, '')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

const unfinished = ({ running }: PageData['head']): string =>
  running === undefined
    ? 'This run has not ended yet.'
    : `Iteration ${running.iteration} was running when this report was made.`

function facts(head: PageData['head']): HTMLElement {
  const { totals, startedAt, seenAt, end } = head
  const { spent } = totals
  const rows: readonly (readonly [string, string])[] = [
    ['Iterations', totals.iterations.toLocaleString('en')],
    ['Claims', `${totals.claims.toLocaleString('en')}, ${totals.refused.toLocaleString('en')} rejected`],
    ['Time', spanText((end?.at ?? seenAt) - startedAt)],
    ...(spent.usd > 0 ? [['Cost', moneyText(spent.usd)] as const] : []),
    ...(spent.tokens > 0 ? [['Tokens', tokensText(spent.tokens)] as const] : []),
    ['Preset', head.preset],
    ...(head.phase === undefined ? [] : [['Phase', head.phase] as const]),
    ['Run', head.run],
    ['Started', whenText(startedAt)],
  ]
  return el(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, words(value)))),
  )
}

function lists({ end, next, weaker, preset, work }: PageData['head']): HTMLElement {
  const list = (title: string, items: readonly string[]): HTMLElement | undefined =>
    items.length === 0
      ? undefined
      : el('section', {}, el('h2', {}, title), el('ul', {}, ...items.map((each) => el('li', {}, ...marked(each)))))
  return el(
    'div',
    { class: 'lists' },
    list('Still needed', end?.missing ?? []),
    // The commands above say it already.
    list('What to do next', end?.ending === 'verified' && work?.take ? [] : next),
    list(`Where ${preset} is weaker than default`, weaker),
  )
}
