import { diffView } from '../../reports/page/client/diff/view.ts'
import { el, fold, words } from '../../reports/page/client/dom.ts'
import type { DiffAnswer } from '../../reports/page/types.ts'
import type { Ask } from './ask.ts'

export interface ChangesState {
  readonly run: string
  /** Decided iterations. */
  readonly iterations: number
  /** The newest event. */
  readonly seq: number
  readonly visible: boolean
}

export interface ChangesPanel {
  readonly element: HTMLElement
  show(state: ChangesState): void
}

const NOT_REACHED = 'The diff could not be loaded. exitgate watch is not reachable, or the run is gone.'

/** Everything the run has changed until now. It is loaded when the panel is shown, and again after each iteration. */
export function changesPanel(id: string, ask: Ask): ChangesPanel {
  const body = el('div')
  const newer = el('button', { type: 'button' }, 'The files have changed. Show the new diff')
  const status = el('p', { class: 'soft', role: 'status' }, 'Comparing the files ...')
  const element = el('div', { class: 'changes' }, el('div', { class: 'newer' }, newer), status, body)
  const remembered = new Map<string, boolean>()
  newer.hidden = true
  let latest: ChangesState | undefined
  let loaded = ''
  let shown = ''
  let waiting: DiffAnswer | undefined
  let busy = false

  const put = (answer: DiffAnswer): void => {
    waiting = undefined
    newer.hidden = true
    body.replaceChildren(...answered(answer, remembered))
  }
  newer.addEventListener('click', () => {
    if (waiting !== undefined) put(waiting)
  })
  const load = async (): Promise<void> => {
    if (busy || latest === undefined) return
    const { run, iterations, seq } = latest
    const key = `${run} ${iterations} ${seq}`
    if (key === loaded) return
    busy = true
    const answer = await ask.diff(id, run)
    busy = false
    loaded = key
    status.hidden = answer !== undefined
    if (answer === undefined) {
      status.textContent = NOT_REACHED
      loaded = ''
      return
    }
    const text = JSON.stringify(answer)
    const isFirst = shown === '' || body.getBoundingClientRect().top >= 0
    if (text !== shown) {
      if (isFirst) put(answer)
      else {
        // What is being read must not move.
        waiting = answer
        newer.hidden = false
      }
    }
    shown = text
    if (latest.visible) void load()
  }
  return {
    element,
    show(state) {
      if (latest !== undefined && latest.run !== state.run) {
        loaded = ''
        shown = ''
        body.replaceChildren()
        status.textContent = 'Comparing the files ...'
        status.hidden = false
      }
      latest = state
      if (state.visible) void load()
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
