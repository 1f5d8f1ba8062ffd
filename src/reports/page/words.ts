import { visible, visibleLine } from './visible.ts'

/** Makes text from outside fit to be shown: secrets out first, then what nobody can see. */
export interface Words {
  line(text: string, most?: number): string
  block(text: string, most: number): string
}

const LINE = 1500
const REMEMBERED = 5000

/** `hide` takes out what looks like a secret; the same sentence is looked at once, for most of them come again and again. */
export function wordsWith(hide: (text: string) => string): Words {
  const seen = new Map<string, string>()
  return {
    line(text, most = LINE) {
      const key = `${most} ${text}`
      const known = seen.get(key)
      if (known !== undefined) return known
      // More than is shown is looked at: a secret that is cut in two would not be known any more.
      const shown = visibleLine(hide(text.slice(0, 2 * most + 1000)), most)
      if (seen.size >= REMEMBERED) seen.clear()
      if (text.length <= LINE) seen.set(key, shown)
      return shown
    },
    block: (text, most) => visible(hide(text), most),
  }
}
