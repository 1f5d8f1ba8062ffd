import { charts } from './charts.ts'
import { iterationAt, pageData } from './data.ts'
import { details } from './details.ts'
import { el } from './dom.ts'
import { header } from './header.ts'
import { printed } from './print.ts'
import { sections } from './sections.ts'
import { timeline } from './timeline.ts'

/** The page, from top to bottom. */
function show(): void {
  const data = pageData()
  const page = document.getElementById('page')
  if (data === undefined || page === null) return
  const { head, columns } = data
  const pane = el('section', { class: 'details', tabindex: '0', 'aria-labelledby': 'details-title' })
  const main = el('main')
  let wanted = -1
  let drawn = -1
  const draw = (): void => {
    const iteration = drawn === wanted ? undefined : iterationAt(wanted)
    if (iteration === undefined) return
    drawn = wanted
    pane.replaceChildren(...details(iteration, head.run).filter((each) => each !== undefined))
    pane.scrollTop = 0
  }
  let asked = false
  const chosen = (place: number): void => {
    if (place === wanted) return
    wanted = place
    if (asked) return
    asked = true
    // Whoever holds an arrow key down passes many iterations: what is drawn is the one that is there when the screen is.
    requestAnimationFrame(() => {
      asked = false
      draw()
    })
  }
  const open = (): void => {
    draw()
    const title = document.getElementById('details-title')
    title?.focus({ preventScroll: true })
    pane.scrollIntoView({ block: 'nearest' })
  }
  const list = timeline(columns, chosen, open)
  pane.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') list.choose(wanted, true)
  })
  const byNumber = (n: number): void => list.choose(columns.n.indexOf(n))
  if (columns.n.length > 0) main.append(el('div', { class: 'look' }, list.element, pane))
  else main.append(el('p', { class: 'soft' }, 'No iteration has been decided yet.'))
  main.append(printed(columns), ...[charts(columns, byNumber), ...sections(head)].filter((each) => each !== undefined))
  page.replaceChildren(header(data), main)
  if (columns.n.length > 0) {
    const linked = /^#iteration-(\d+)$/.exec(location.hash)?.[1]
    const place = linked === undefined ? -1 : columns.n.indexOf(Number(linked))
    list.choose(place >= 0 ? place : columns.n.length - 1)
    draw()
  }
  document.documentElement.dataset.ready = 'yes'
}

show()
