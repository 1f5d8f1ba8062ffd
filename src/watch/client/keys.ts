import { el } from '../../reports/page/client/dom.ts'

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['1 to 5', 'open a tab: Live, Iterations, Changes, Charts, Details'],
  ['d', 'changes'],
  ['p', 'pause or resume'],
  ['s', 'say something to the agent'],
  ['a', 'accept the first finding'],
  ['f', 'force the run to complete'],
  ['/', 'search the runs'],
  ['[ and ]', 'previous and next run'],
  ['End', 'in the output: follow the end again'],
  ['Tab, arrows, Enter', 'move between parts, lists and tabs; open'],
  ['Escape', 'close a dialog, or leave the details of an iteration'],
  ['?', 'this help'],
]
const STORED = 'exitgate-keys'

/** Letters as shortcuts, and the dialog that lists them. They can be turned off, because speech input types letters too. */
export function shortcuts(pressed: (key: string) => boolean): { readonly element: HTMLElement; open(): void } {
  const on = el('input', { type: 'checkbox' })
  on.checked = localStorage.getItem(STORED) !== 'off'
  on.addEventListener('change', () => localStorage.setItem(STORED, on.checked ? 'on' : 'off'))
  const close = el('button', { type: 'button' }, 'Close')
  const rows = KEYS.map(([keys, what]) => el('div', {}, el('dt', {}, el('kbd', {}, keys)), el('dd', {}, what)))
  const dialog = el(
    'dialog',
    { class: 'question help', 'aria-labelledby': 'keys-title' },
    el('h2', { id: 'keys-title' }, 'Keyboard'),
    el('dl', { class: 'keys' }, ...rows),
    el('label', { class: 'check' }, on, 'Use single letters as shortcuts'),
    el('div', { class: 'buttons' }, close),
  )
  close.addEventListener('click', () => dialog.close())
  const open = (): void => {
    if (!dialog.open) dialog.showModal()
    close.focus()
  }
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (document.querySelector('dialog[open]') !== null) return
    if (event.key === '?') open()
    else if (!on.checked || !pressed(event.key)) return
    event.preventDefault()
  })
  return { element: dialog, open }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select') !== null
