import type { FileDiff } from '../../../../core/file-diff.ts'
import type { Diff } from '../../types.ts'
import { el, fold, marked, plural, words } from '../dom.ts'
import { choose, layout, layoutSwitch } from './layout.ts'
import { lineBox } from './lines.ts'

/** The hunks of each file of a diff, in its order; they are read when they are shown. */
export type ReadHunks = () => readonly (string | null | undefined)[]

/** Files are open from the start until this many lines are shown. */
const LINES_AT_ONCE = 400
/** Files that are added to the page together, when its end comes near the window. */
const FILES_AT_ONCE = 60
/** With fewer files you see all of them at a glance. */
const MANY = 4
const MOST_LISTED = 1_000

export interface DiffOptions {
  /** Lines of files that are open from the start. */
  readonly opened?: number
  /** Files that the reader opened or closed, by path; kept when the diff is drawn again. */
  readonly remembered?: Map<string, boolean>
}

/** The changed files with their lines: a list to choose from, and one block for each file. */
export function diffView(diff: Diff, read: ReadHunks, options: DiffOptions = {}): HTMLElement {
  const { files, added, removed, rest } = diff
  const { opened = LINES_AT_ONCE, remembered = new Map<string, boolean>() } = options
  let hunks: ReturnType<ReadHunks> | undefined
  const hunksOf = (at: number): string => {
    hunks ??= read()
    return hunks[at] ?? ''
  }
  const opens = openedOf(files, opened, remembered)
  const blocks: HTMLElement[] = []
  const list = el('div', { class: 'files' })
  const end = el('div', { class: 'end' })
  const addUntil = (count: number): void => {
    for (let at = blocks.length; at < Math.min(count, files.length); at++) {
      const file = files[at]
      if (file === undefined) continue
      const block = fileBlock(file, () => hunksOf(at), opens[at] === true)
      block.addEventListener('toggle', () => remembered.set(file.path, (block as HTMLDetailsElement).open))
      blocks.push(block)
      list.append(block)
    }
    end.hidden = blocks.length === files.length
  }
  const more = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) addUntil(blocks.length + FILES_AT_ONCE)
    },
    { rootMargin: '1000px' },
  )
  const go = (at: number): void => {
    addUntil(at + 1)
    const block = blocks[at]
    if (block instanceof HTMLDetailsElement) block.open = true
    block?.scrollIntoView({ block: 'start' })
    const target = block?.querySelector('summary') ?? block
    target?.focus({ preventScroll: true })
  }
  const every = el('button', { type: 'button' }, 'Expand all')
  every.addEventListener('click', () => {
    const open = every.textContent === 'Expand all'
    every.textContent = open ? 'Collapse all' : 'Expand all'
    for (const [at, file] of files.entries()) {
      opens[at] = open && file.added + file.removed > 0
      remembered.set(file.path, open)
    }
    for (const block of blocks) if (block instanceof HTMLDetailsElement) block.open = open
  })
  const root = el(
    'div',
    { class: 'diff' },
    el(
      'div',
      { class: 'tools' },
      el('p', { class: 'stat' }, plural(files.length, 'file'), ' changed, ', numbers({ added, removed })),
      el('div', { class: 'filters' }, layoutSwitch(), ...(files.length > 1 ? [every] : [])),
    ),
    rest === undefined ? undefined : el('p', { class: 'rest' }, ...marked(rest)),
    files.length < MANY ? undefined : fileList(files, go),
    list,
    end,
  )
  addUntil(FILES_AT_ONCE)
  more.observe(end)
  root.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return
    const at = blocks.findIndex((block) => block.contains(event.target as Node))
    if (event.key === 'n') go(Math.min(files.length - 1, at + 1))
    else if (event.key === 'p') go(Math.max(0, at - 1))
    else if (event.key === 'u') choose(layout() === 'split' ? 'unified' : 'split')
    else return
    event.preventDefault()
    event.stopPropagation()
  })
  return root
}

/** Which files are open: as the reader left them, otherwise the first ones until enough lines are shown. */
function openedOf(files: readonly FileDiff[], most: number, remembered: ReadonlyMap<string, boolean>): boolean[] {
  let left = most
  return files.map(({ path, added, removed }) => {
    const lines = added + removed
    const fits = lines > 0 && lines <= left
    if (fits) left -= lines
    return remembered.get(path) ?? fits
  })
}

const numbers = ({ added, removed }: Pick<FileDiff, 'added' | 'removed'>): HTMLElement =>
  el(
    'span',
    { class: 'numbers' },
    el('span', { class: 'yes' }, `+${added.toLocaleString('en')}`),
    ' ',
    el('span', { class: 'no' }, `\u2212${removed.toLocaleString('en')}`),
  )

/** All files with their numbers. A click shows the file. */
function fileList(files: readonly FileDiff[], go: (at: number) => void): HTMLElement {
  const fill = (): HTMLElement => {
    const input = el('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter the files by name' })
    const list = el('ul', { class: 'file-list', tabindex: '0', role: 'list', 'aria-label': 'Changed files' })
    const draw = (): void => {
      const wanted = input.value.trim().toLowerCase()
      const found = [...files.entries()].filter(([, { path }]) => path.toLowerCase().includes(wanted))
      const left = found.length - MOST_LISTED
      list.replaceChildren(
        ...found.slice(0, MOST_LISTED).map(([at, file]) => listed(file, () => go(at))),
        ...(left > 0 ? [el('li', { class: 'soft' }, `${left.toLocaleString('en')} more. Filter to find them.`)] : []),
      )
    }
    input.addEventListener('input', draw)
    draw()
    return el('div', {}, input, list)
  }
  const made = fold('Files', fill, files.length <= 40)
  made.className = 'file-index'
  return made
}

function listed(file: FileDiff, go: () => void): HTMLElement {
  const button = el('button', { type: 'button', class: 'file-link' }, words(file.path))
  button.addEventListener('click', go)
  return el(
    'li',
    {},
    el('span', { class: `letter ${file.status}`, title: file.status }, letterOf(file)),
    button,
    file.added + file.removed === 0 ? undefined : numbers(file),
  )
}

const letterOf = ({ status }: FileDiff): string => status.charAt(0).toUpperCase()

function fileBlock(file: FileDiff, read: () => string, opens: boolean): HTMLElement {
  const { path, from, status, mode, why } = file
  const title = el(
    'span',
    { class: 'file-title' },
    el('code', {}, ...(from === undefined ? [] : [words(from), ' \u2192 ']), words(path)),
    status === 'modified' ? undefined : el('span', { class: 'tag' }, status),
    mode === undefined ? undefined : el('span', { class: 'tag' }, `mode ${mode.join(' \u2192 ')}`),
    why === undefined ? undefined : el('span', { class: 'soft' }, words(why)),
    file.added + file.removed === 0 ? undefined : numbers(file),
  )
  if (file.added + file.removed === 0 || why !== undefined) return el('div', { class: 'file', tabindex: '-1' }, title)
  const block = fold(title, () => lineBox(path, read()), opens)
  block.className = 'file'
  return block
}
