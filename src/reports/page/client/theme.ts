import { el } from './dom.ts'

const THEMES = ['auto', 'light', 'dark'] as const
const changed = new Set<() => void>()

/** Told when the colours change: by the switch, by the system, or for paper. */
export function onTheme(told: () => void): void {
  changed.add(told)
}

/** What was drawn before is drawn no more. */
export const forgetThemes = (): void => changed.clear()

const tell = (): void => {
  for (const told of changed) told()
}

export function themeSwitch(): HTMLElement {
  let chosen = 0
  const button = el('button', { type: 'button', class: 'theme' }, 'Theme: auto')
  button.addEventListener('click', () => {
    chosen = (chosen + 1) % THEMES.length
    const name = THEMES[chosen] ?? 'auto'
    button.textContent = `Theme: ${name}`
    document.documentElement.dataset.theme = name
    tell()
  })
  for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', tell)
  return button
}

/** A colour of the style sheet as it is now. */
export function colour(name: string): string {
  const probe = el('span', { class: `probe ${name}` })
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
