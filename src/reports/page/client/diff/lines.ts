import { el } from '../dom.ts'
import { Highlighter } from './highlight.ts'
import { grammarOf } from './languages.ts'
import { layout, onLayout } from './layout.ts'
import { LineDrawer, MOST_DRAWN } from './line.ts'
import { onPaper } from './paper.ts'
import { pairsOf, rowsOf } from './rows.ts'

/** In pixels, as in the style sheet. */
const LINE = 20
/** Lines that are drawn above and below the visible ones. */
const SPARE = 25
/** Short files are drawn as a whole, so that the browser's search finds everything in them. */
const SHORT = 200
/** Narrower boxes have no room for two sides. */
const NARROW = 640
const GUTTER = 16

/** The lines of one file. Only those near the window are in the page. */
export function lineBox(path: string, hunks: string): HTMLElement {
  const rows = rowsOf(hunks)
  const lines = new LineDrawer(rows, new Highlighter(rows, grammarOf(path)))
  const longest = rows.reduce((most, { text }) => Math.max(most, widthOf(text)), 0)
  const sheet = el('div', { class: 'sheet' })
  const ruler = el('div')
  const slider = el(
    'div',
    { class: 'slider', tabindex: '0', role: 'region', 'aria-label': `Scroll ${path} sideways` },
    ruler,
  )
  const box = el('div', { class: 'lines', tabindex: '0', role: 'region', 'aria-label': `Changes in ${path}` }, sheet)
  const frame = el('div', { class: 'lines-frame' }, box, slider)
  const drawn = new Map<number, HTMLElement>()
  let pairs: ReturnType<typeof pairsOf> | undefined
  let isSplit: boolean | undefined
  let printed: number | undefined

  const count = (): number => (isSplit ? (pairs?.length ?? 0) : rows.length)
  const draw = (): void => {
    const { top } = sheet.getBoundingClientRect()
    const isWhole = printed !== undefined || count() <= SHORT
    const first = isWhole ? 0 : Math.max(0, Math.floor(-top / LINE) - SPARE)
    const seen = isWhole ? SHORT : Math.ceil((innerHeight - top) / LINE) + SPARE
    const last = Math.min(count(), printed ?? seen) - 1
    for (const [at, row] of drawn)
      if (at < first || at > last) {
        row.remove()
        drawn.delete(at)
      }
    let next: HTMLElement | null = null
    for (let at = last; at >= first; at--) {
      let row = drawn.get(at)
      if (row === undefined) {
        const pair = isSplit ? pairs?.[at] : undefined
        row = pair === undefined ? lines.unified(at) : lines.pair(pair.left, pair.right)
        row.style.top = `${at * LINE}px`
        drawn.set(at, row)
        sheet.insertBefore(row, next)
      }
      next = row
    }
  }
  /** On paper, lines wrap. */
  const size = (): void => {
    const isPaper = printed !== undefined
    sheet.style.height = isPaper ? '' : `${count() * LINE}px`
    sheet.style.minWidth = isSplit || isPaper ? '' : `max(100%, ${longest + GUTTER}ch)`
  }
  const arrange = (): void => {
    const wanted = layout() === 'split' && (box.clientWidth || NARROW) >= NARROW
    if (wanted === isSplit) return
    isSplit = wanted
    if (isSplit) pairs ??= pairsOf(rows)
    sheet.replaceChildren()
    drawn.clear()
    frame.classList.toggle('split', isSplit)
    size()
    ruler.style.width = `${longest + GUTTER / 2}ch`
    shift(0)
    draw()
  }
  const shift = (by: number): void => {
    slider.scrollLeft = by
    sheet.style.setProperty('--shift', `${-slider.scrollLeft}px`)
  }
  slider.addEventListener('scroll', () => sheet.style.setProperty('--shift', `${-slider.scrollLeft}px`), {
    passive: true,
  })
  box.addEventListener(
    'wheel',
    ({ deltaX }) => {
      if (isSplit && deltaX !== 0) slider.scrollLeft += deltaX
    },
    { passive: true },
  )
  box.addEventListener('keydown', ({ key }) => {
    if (isSplit && (key === 'ArrowLeft' || key === 'ArrowRight')) slider.scrollLeft += key === 'ArrowLeft' ? -40 : 40
  })
  onLayout(() => {
    if (frame.isConnected) arrange()
    return frame.isConnected
  })
  onPaper(frame, (most) => {
    printed = most
    size()
    draw()
    return count()
  })
  whenNear(frame, draw)
  new ResizeObserver(arrange).observe(box)
  arrange()
  return frame
}

/** In columns; a tab has four. */
function widthOf(text: string): number {
  const shown = Math.min(text.length, MOST_DRAWN)
  let tabs = 0
  for (let at = text.indexOf('\t'); at >= 0 && at < shown; at = text.indexOf('\t', at + 1)) tabs += 1
  return shown + 3 * tabs + (text.length > MOST_DRAWN ? 30 : 0)
}

const near = new Map<Element, () => void>()
const known = new WeakMap<Element, () => void>()
let asked = false

const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const draw = known.get(target)
      if (draw === undefined) continue
      if (isIntersecting) near.set(target, draw)
      else near.delete(target)
      draw()
    }
  },
  { rootMargin: '800px' },
)
const soon = (): void => {
  if (asked || near.size === 0) return
  asked = true
  requestAnimationFrame(() => {
    asked = false
    for (const [box, draw] of near)
      if (box.isConnected) draw()
      else near.delete(box)
  })
}
// The page scrolls, or a part of it: both are heard here.
addEventListener('scroll', soon, { capture: true, passive: true })
addEventListener('resize', soon)

function whenNear(box: HTMLElement, draw: () => void): void {
  known.set(box, draw)
  seen.observe(box)
}
