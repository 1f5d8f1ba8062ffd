import type { FileDiff } from '../../../core/file-diff.ts'
import type { Diff, Handoff, RunWork } from '../types.ts'
import { el, fold, marked, plural, whenText, words } from './dom.ts'

/** The hunks of each file of a diff, in its order; they are read when they are shown. */
export type ReadHunks = () => readonly (string | null)[]

/** Files are open from the start until this many lines are shown. */
const LINES_AT_ONCE = 300
/** Lines that are drawn together when they come near the window. */
const LINES_PER_PART = 200
/** In pixels, as in the style sheet. */
const LINE = 19
const AHEAD = '800px'

/** The changed files with their lines: a list to choose from, and one block for each file. */
export function diffView({ files, added, removed }: Diff, read: ReadHunks, shared = LINES_AT_ONCE): HTMLElement {
  let left = shared
  let hunks: readonly (string | null)[] | undefined
  const hunksOf = (at: number): string => {
    hunks ??= read()
    return hunks[at] ?? ''
  }
  const blocks = files.map((file, at) => {
    const lines = file.added + file.removed
    const opens = lines > 0 && lines <= left
    if (opens) left -= lines
    return fileBlock(file, () => hunksOf(at), opens)
  })
  return el(
    'div',
    { class: 'diff' },
    el('p', { class: 'stat' }, plural(files.length, 'file'), ' changed, ', numbers({ added, removed })),
    ...blocks,
  )
}

const numbers = ({ added, removed }: Pick<FileDiff, 'added' | 'removed'>): HTMLElement =>
  el(
    'span',
    { class: 'numbers' },
    el('span', { class: 'yes' }, `+${added.toLocaleString('en')}`),
    ' ',
    el('span', { class: 'no' }, `\u2212${removed.toLocaleString('en')}`),
  )

function fileBlock(file: FileDiff, read: () => string, opens: boolean): HTMLElement {
  const { path, status, why } = file
  const title = [
    el('code', {}, words(path)),
    status === 'modified' ? undefined : el('span', { class: 'tag' }, status),
    why === undefined ? undefined : el('span', { class: 'soft' }, words(why)),
    numbers(file),
  ]
  if (file.added + file.removed === 0 || why !== undefined) return el('div', { class: 'file' }, title)
  const block = fold(title, () => lineParts(path, read()), opens)
  block.className = 'file'
  return block
}

/** Long texts are drawn part by part, when they come near the window. The height is known, because no line wraps. */
function lineParts(path: string, text: string): HTMLElement {
  const lines = text.replace(/\n$/, '').split('\n')
  const box = el('div', { class: 'lines', tabindex: '0', role: 'region', 'aria-label': `Changes in ${path}` })
  if (lines.length <= LINES_PER_PART) {
    box.append(part(lines))
    return box
  }
  const drawn = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        const from = Number((target as HTMLElement).dataset.from)
        if (!isIntersecting || Number.isNaN(from)) continue
        drawn.unobserve(target)
        target.replaceWith(part(lines.slice(from, from + LINES_PER_PART)))
      }
    },
    { rootMargin: AHEAD },
  )
  for (let from = 0; from < lines.length; from += LINES_PER_PART) {
    const empty = el('div', { 'data-from': String(from) })
    empty.style.height = `${Math.min(LINES_PER_PART, lines.length - from) * LINE}px`
    box.append(empty)
    drawn.observe(empty)
  }
  return box
}

const KINDS: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '@': 'place' }

const part = (lines: readonly string[]): HTMLElement =>
  el('pre', {}, ...lines.map((line) => el('span', { class: KINDS[line.charAt(0)] ?? 'same', dir: 'ltr' }, line || ' ')))

/** The section with everything the run changed, and its commits. */
export function workSection(work: RunWork | undefined, read: ReadHunks): HTMLElement | undefined {
  if (work === undefined) return undefined
  const { total, why, note, commits } = work
  return el(
    'section',
    { class: 'work' },
    el('h2', {}, 'Changes'),
    note === undefined ? undefined : el('p', { class: 'soft' }, words(note)),
    total === undefined
      ? el('p', { class: 'soft' }, words(why ?? 'The changes are not known.'))
      : total.files.length === 0
        ? el('p', { class: 'soft' }, 'No files have changed since the run started.')
        : diffView(total, read),
    commits.length === 0 ? undefined : el('h3', {}, plural(commits.length, 'commit')),
    commits.length === 0
      ? undefined
      : el(
          'ul',
          { class: 'commits' },
          ...commits.map(({ id, subject, at }) =>
            el(
              'li',
              {},
              el('code', {}, id.slice(0, 12)),
              ' ',
              words(subject),
              el('span', { class: 'soft' }, ` ${whenText(at)}`),
            ),
          ),
        ),
  )
}

/** The commands to take the work and to throw it away. One click selects a command. */
export function handoffSection(work: RunWork | undefined): HTMLElement | undefined {
  if (work?.take === undefined) return undefined
  const block = (title: string, handoff: Handoff | undefined): HTMLElement | undefined =>
    handoff &&
    el(
      'div',
      {},
      el('h3', {}, title),
      handoff.command === undefined
        ? undefined
        : el('pre', { class: 'command', tabindex: '0', role: 'region', 'aria-label': title }, handoff.command),
      el('p', { class: 'soft' }, ...marked(handoff.text)),
    )
  return el(
    'section',
    { class: 'handoff' },
    block('Take the work', work.take),
    block('Or open a pull request', work.pullRequest),
    block('Throw it away', work.discard),
  )
}
