import { amountText, durationText } from '../../live/duration.ts'

const LATEST = 8.64e15

/** In the reader's own zone and manner. */
export function whenText(at: number): string {
  if (!(Math.abs(at) <= LATEST)) return 'an unknown time'
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

export const spanText = (ms: number): string =>
  ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : durationText(ms)
export const moneyText = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.1 ? 3 : 2)}`
export const tokensText = (tokens: number): string => `${amountText(tokens)} tokens`
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`

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

/** Our own sentences: what is in backticks is code. */
export const marked = (text: string): readonly HTMLElement[] =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? el('code', {}, part) : words(part)))

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
