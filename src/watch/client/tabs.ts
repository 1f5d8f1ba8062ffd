import { el } from '../../reports/page/client/dom.ts'

export interface Tab {
  readonly name: string
  readonly title: string
  readonly panel: HTMLElement
}

export interface Tabs {
  readonly element: HTMLElement
  readonly current: string
  open(name: string, focus?: boolean): void
  /** Adds a number or a word to the title of a tab. */
  mark(name: string, text: string): void
}

/** Tabs with their panels. Arrow keys move between tabs, as screen readers announce. */
export function tabs(list: readonly Tab[], opened: (name: string, byUser: boolean) => void): Tabs {
  let current = list[0]?.name ?? ''
  const parts = list.map(({ name, title, panel }) => {
    const mark = el('span', { class: 'count' })
    const button = el(
      'button',
      { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}` },
      title,
      mark,
    )
    button.addEventListener('click', () => choose(name, true))
    panel.id = `panel-${name}`
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', button.id)
    return { name, button, panel, mark }
  })
  const bar = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Parts of the run' })
  bar.append(...parts.map(({ button }) => button))
  bar.addEventListener('keydown', (event) => {
    const at = parts.findIndex(({ name }) => name === current)
    const moves: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }
    const to = moves[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = parts.at(to % parts.length)
    if (next !== undefined) choose(next.name, true)
    next?.button.focus()
  })
  const show = (): void => {
    for (const { name, button, panel } of parts) {
      button.setAttribute('aria-selected', String(name === current))
      button.tabIndex = name === current ? 0 : -1
      panel.hidden = name !== current
    }
  }
  const choose = (name: string, byUser: boolean): void => {
    if (!parts.some((part) => part.name === name)) return
    current = name
    show()
    opened(name, byUser)
  }
  show()
  return {
    element: el('div', { class: 'tabbed' }, bar, ...parts.map(({ panel }) => panel)),
    get current() {
      return current
    },
    open(name, focus = false) {
      choose(name, focus)
      if (focus) parts.find((part) => part.name === name)?.button.focus()
    },
    mark(name, text) {
      const part = parts.find((each) => each.name === name)
      if (part !== undefined && part.mark.textContent !== text) part.mark.textContent = text
    },
  }
}
