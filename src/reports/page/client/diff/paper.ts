import { el } from '../dom.ts'

/** Lines of all diffs together; more are not useful on paper. */
const MOST_PRINTED = 3_000

/** Draws that many lines from the first one on, or those near the window again; returns how many there are. */
type Print = (most: number | undefined) => number

const boxes = new Map<HTMLElement, Print>()
const notes = new Set<HTMLElement>()

let isPrinting = false
let isFilling = false

/** Tells how the lines of a box are printed. A box that is made while the page is printed is printed too. */
export function onPaper(box: HTMLElement, print: Print): void {
  boxes.set(box, print)
  if (!isPrinting || isFilling) return
  isFilling = true
  queueMicrotask(() => {
    isFilling = false
    if (isPrinting) fill()
  })
}

function fill(): void {
  clear()
  isPrinting = true
  let left = MOST_PRINTED
  for (const [box, print] of boxes) {
    if (!box.isConnected) {
      boxes.delete(box)
      continue
    }
    const lines = print(left)
    if (lines > left) {
      const note = el(
        'p',
        { class: 'soft' },
        `${(lines - left).toLocaleString('en')} more lines of this file are not printed.`,
      )
      notes.add(note)
      box.append(note)
    }
    left = Math.max(0, left - lines)
  }
}

function clear(): void {
  isPrinting = false
  for (const note of notes) note.remove()
  notes.clear()
  for (const [box, print] of boxes) if (box.isConnected) print(undefined)
}

addEventListener('beforeprint', fill)
addEventListener('afterprint', clear)
const paper = matchMedia('print')
paper.addEventListener('change', () => (paper.matches ? fill() : clear()))
