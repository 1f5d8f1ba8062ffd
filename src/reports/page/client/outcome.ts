import { PROOF_HEADS } from '../../../../packages/exitgate/src/checks/proven.ts'
import type { PageData } from '../pack.ts'
import type { Accepted, Proven, Refusal } from '../types.ts'
import { el, fold, plural, words } from './dom.ts'
import { shape } from './shapes.ts'

type Head = PageData['head']

const NAMES_AT_ONCE = 5
const REFUSALS_AT_ONCE = 5

/** What was proven, what was rejected on the way and why, and what you accepted. */
export function outcome(
  { proven, refusals, accepted, totals, end }: Head,
  goTo: (iteration: number) => void,
): HTMLElement | undefined {
  const parts = [
    provenPart(proven, end?.ending === 'verified'),
    refusedPart(refusals, totals.refused, goTo),
    acceptedPart(accepted),
  ].filter((each) => each !== undefined)
  return parts.length === 0 ? undefined : el('section', { class: 'outcome' }, ...parts)
}

function provenPart(proven: readonly Proven[], isVerified: boolean): HTMLElement | undefined {
  if (proven.length === 0) return undefined
  const rows = proven.map(({ title, detail, tests = [], table = [], caveat }) =>
    el(
      'li',
      {},
      shape(caveat ? 'unknown' : 'yes'),
      el(
        'div',
        {},
        el('b', {}, words(title)),
        ' ',
        words(detail),
        tests.length === 0 ? undefined : newly(tests),
        proofTable(table),
      ),
    ),
  )
  return el(
    'div',
    {},
    el('h2', {}, isVerified ? 'Proven' : 'What passed in the last iteration'),
    el('ul', { class: 'proofs' }, ...rows),
  )
}

/** Which tests prove the work. */
function proofTable(rows: readonly (readonly string[])[]): HTMLElement | undefined {
  if (rows.length === 0) return undefined
  const row = (tag: 'th' | 'td', cells: readonly string[]) =>
    el('tr', {}, ...cells.map((cell) => el(tag, tag === 'th' ? { scope: 'col' } : {}, words(cell))))
  const body = el('tbody', {}, ...rows.map((cells) => row('td', cells)))
  return el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, row('th', PROOF_HEADS)), body))
}

function newly(tests: readonly string[]): HTMLElement {
  const list = (names: readonly string[]) => el('ul', {}, ...names.map((name) => el('li', {}, words(name))))
  const title = `${plural(tests.length, 'test')} newly passing`
  if (tests.length > NAMES_AT_ONCE) return fold(title, () => list(tests))
  return el('div', { class: 'newly' }, el('span', { class: 'soft' }, title), list(tests))
}

function refusedPart(
  refusals: readonly Refusal[],
  times: number,
  goTo: (iteration: number) => void,
): HTMLElement | undefined {
  if (refusals.length === 0) return undefined
  const row = ({ first, last, times: n, reason }: Refusal): HTMLElement => {
    const where = first === last ? `Iteration ${first}` : `Iterations ${first} to ${last}, ${n} times`
    const link = el('button', { type: 'button', class: 'link' }, where)
    link.addEventListener('click', () => goTo(last))
    return el(
      'li',
      {},
      shape('no'),
      el('div', {}, link, ' ', words(reason.replace(/^Claim (?:rejected|not verified): /, ''))),
    )
  }
  const [early, late] = [refusals.slice(0, -REFUSALS_AT_ONCE), refusals.slice(-REFUSALS_AT_ONCE)]
  const list = (rows: readonly Refusal[]) => el('ul', { class: 'proofs' }, ...rows.map(row))
  return el(
    'div',
    {},
    el('h2', {}, `Rejected on the way: ${plural(times, 'claim')}`),
    early.length === 0 ? undefined : fold(plural(early.length, 'earlier reason'), () => list(early)),
    list(late),
  )
}

function acceptedPart(accepted: readonly Accepted[]): HTMLElement | undefined {
  if (accepted.length === 0) return undefined
  return el(
    'div',
    {},
    el('h2', {}, `Accepted: ${plural(accepted.length, 'finding')}`),
    el(
      'ul',
      { class: 'proofs' },
      ...accepted.map(({ id, detail, by, reason }) =>
        el(
          'li',
          {},
          shape('unknown'),
          el(
            'div',
            {},
            el('code', {}, words(id)),
            ' ',
            words(detail),
            el('p', { class: 'soft' }, 'Accepted by ', words(by), ': ', words(reason)),
          ),
        ),
      ),
    ),
  )
}
