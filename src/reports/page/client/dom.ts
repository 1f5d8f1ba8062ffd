type Child = Node | string | undefined | readonly Child[]

/** One element. Text always becomes a text node, so nothing that comes from outside is ever read as HTML. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  put(made, children)
  return made
}

export function svg(
  tag: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Node[]
): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

function put(parent: HTMLElement, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined) continue
    if (typeof child === 'string' || child instanceof Node) parent.append(child)
    else put(parent, child)
  }
}

/** Words from outside: kept apart from their neighbours in direction too. */
export const words = (text: string): HTMLElement => el('bdi', {}, text)

/** A part of the page that opens; its inside is made when it is opened first. */
export function fold(title: Child, inside: () => Child, open = false): HTMLDetailsElement {
  const made = el('details', {}, el('summary', {}, title))
  let filled = false
  const fill = (): void => {
    if (filled) return
    filled = true
    put(made, [inside()])
  }
  made.addEventListener('toggle', () => {
    if (made.open) fill()
  })
  if (open) {
    fill()
    made.open = true
  }
  return made
}
