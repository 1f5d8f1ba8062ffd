import { diffView } from '../../reports/page/client/diff/view.ts'
import { el, fold, words } from '../../reports/page/client/dom.ts'
import type { DiffAnswer } from '../../reports/page/types.ts'
import type { DiffNews } from '../../reports/runs/row.ts'
import type { Ask } from './ask.ts'

export interface ChangesPanel {
  readonly element: HTMLElement
  show(run: string, visible: boolean): void
  /** The server compared the files again. */
  take(news: DiffNews): void
  /** The mark of the diff that was loaded last. */
  mark(): string | undefined
}

const NOT_REACHED = 'The diff could not be loaded. exitgate watch is not reachable, or the run is gone.'
/** Not more often than this a tab loads the diff, and not at the same time as all others. */
const REST_MS = 2000
const SPREAD_MS = 2000

/** Everything the run has changed until now. It is loaded when the panel is shown, and again when the stream reports another one. */
export function changesPanel(id: string, ask: Ask): ChangesPanel {
  const body = el('div')
  const newer = el('button', { type: 'button' }, 'The files have changed. Show the new diff')
  const status = el('p', { class: 'soft', role: 'status' }, 'Comparing the files ...')
  const element = el('div', { class: 'changes' }, el('div', { class: 'newer' }, newer), status, body)
  const remembered = new Map<string, boolean>()
  newer.hidden = true
  let current: string | undefined
  let isVisible = false
  /** The mark that the stream told last, and that of what was loaded. */
  let newest: string | undefined
  let loaded: string | undefined
  let waiting: DiffAnswer | undefined
  let busy = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const put = (answer: DiffAnswer): void => {
    waiting = undefined
    newer.hidden = true
    body.replaceChildren(...answered(answer, remembered))
  }
  newer.addEventListener('click', () => {
    if (waiting !== undefined) put(waiting)
  })
  const load = async (): Promise<void> => {
    timer = undefined
    const run = current
    if (busy || run === undefined || !isVisible) return
    busy = true
    const told = newest
    const answer = await ask.diff(id, run)
    busy = false
    if (run !== current) return loadSoon()
    status.hidden = answer !== undefined
    if (answer === undefined) {
      status.textContent = NOT_REACHED
      loaded = undefined
      return
    }
    const isFirst = loaded === undefined || body.getBoundingClientRect().top >= 0
    if (answer.mark !== loaded) {
      if (isFirst) put(answer)
      else {
        // What is being read must not move.
        waiting = answer
        newer.hidden = false
      }
    }
    loaded = answer.mark
    // What the stream told in the meantime is newer.
    if (newest === told) newest = answer.mark
    loadSoon()
  }
  const loadSoon = (): void => {
    if (!isVisible || busy || timer !== undefined || (loaded !== undefined && loaded === newest)) return
    if (loaded === undefined) void load()
    else timer = setTimeout(() => void load(), REST_MS + Math.random() * SPREAD_MS)
  }
  return {
    element,
    mark: () => loaded,
    show(run, visible) {
      if (current !== undefined && current !== run) {
        loaded = undefined
        newest = undefined
        body.replaceChildren()
        status.textContent = 'Comparing the files ...'
        status.hidden = false
      }
      current = run
      isVisible = visible
      loadSoon()
    },
    take(news) {
      if (news.run !== current) return
      newest = news.mark
      loadSoon()
    },
  }
}

/** What one iteration changed, loaded when it is opened. */
export function iterationChanges(id: string, run: string, n: number, ask: Ask): HTMLElement {
  const made = fold('Show the diff', () => {
    const body = el('div', {}, el('p', { class: 'soft', role: 'status' }, 'Loading ...'))
    void ask.diff(id, run, n).then((answer) => body.replaceChildren(...answered(answer ?? { why: NOT_REACHED })))
    return body
  })
  made.className = 'iteration-changes'
  return made
}

function answered({ diff, why, note }: DiffAnswer, remembered?: Map<string, boolean>): readonly HTMLElement[] {
  if (diff === undefined) return [el('p', { class: 'soft' }, words(why ?? 'The changes are not known.'))]
  if (diff.files.length === 0) return [el('p', { class: 'soft' }, 'No files have changed since the run started.')]
  const read = (): readonly (string | undefined)[] => diff.files.map(({ hunks }) => hunks)
  return [
    ...(note === undefined ? [] : [el('p', { class: 'soft' }, words(note))]),
    diffView(diff, read, remembered && { remembered }),
  ]
}
