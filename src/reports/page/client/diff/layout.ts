import { el } from '../dom.ts'

export type Layout = 'unified' | 'split'

const KEY = 'exitgate-diff'
const NAMES = [
  ['unified', 'Unified'],
  ['split', 'Side by side'],
] as const
const listeners = new Set<() => boolean>()

/** The choice of the reader. A page from disk may not be allowed to store it. */
function stored(): Layout {
  try {
    return localStorage.getItem(KEY) === 'split' ? 'split' : 'unified'
  } catch {
    return 'unified'
  }
}

let chosen: Layout | undefined
export const layout = (): Layout => (chosen ??= stored())

/** Called after every change, until it returns false. */
export const onLayout = (told: () => boolean): void => {
  listeners.add(told)
}

export function choose(next: Layout): void {
  chosen = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // It is kept for as long as the page is open.
  }
  for (const told of [...listeners]) if (!told()) listeners.delete(told)
}

/** Two buttons; all diffs of the page follow them. */
export function layoutSwitch(): HTMLElement {
  const buttons = NAMES.map(([name, title]) => {
    const button = el('button', { type: 'button' }, title)
    button.addEventListener('click', () => choose(name))
    return { name, button }
  })
  const group = el(
    'div',
    { class: 'filters layouts', role: 'group', 'aria-label': 'Layout of the diff' },
    ...buttons.map(({ button }) => button),
  )
  const show = (): void => {
    for (const { name, button } of buttons) button.setAttribute('aria-pressed', String(name === layout()))
  }
  show()
  onLayout(() => {
    show()
    return group.isConnected
  })
  return group
}
