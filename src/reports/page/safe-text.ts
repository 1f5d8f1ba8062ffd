import { SEQUENCES } from '../live/clean.ts'

/** Makes external text safe to show: removes secrets, then invisible characters. */
export interface SafeText {
  line(text: string, most?: number): string
  block(text: string, most: number): string
}

const LINE = 1500
const REMEMBERED = 5000

/** `hide` takes out what looks like a secret; the same sentence is looked at once, for most of them come again and again. */
export function safeTextWith(hide: (text: string) => string): SafeText {
  // By length first: a key made of both would be a copy of every text.
  const seen = new Map<number, Map<string, string>>()
  let remembered = 0
  return {
    line(text, most = LINE) {
      const known = seen.get(most)?.get(text)
      if (known !== undefined) return known
      // More than is shown is looked at: a secret that is cut in two would not be known any more.
      const shown = visibleLine(hide(text.slice(0, 2 * most + 1000)), most)
      if (text.length > LINE) return shown
      if (remembered++ >= REMEMBERED) {
        seen.clear()
        remembered = 1
      }
      const ofLength = seen.get(most) ?? new Map<string, string>()
      seen.set(most, ofLength.set(text, shown))
      return shown
    },
    block: (text, most) => visible(hide(text), most),
  }
}

/** A heap of accents on one letter paints over the lines around it. */
const HEAPED = /(\p{M}{4})\p{M}+/gu
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g
// What turns its neighbours around, hides, or ends a line only for some readers.
const HIDDEN = /[\u0080-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const TAGS = /[\u{e0000}-\u{e007f}]/gu

/**
 * Text of agents and files, made visible. Terminal colours are removed. Characters that are invisible or change the reading direction
 * are spelled out. Lines stay lines, and a long text keeps its end.
 */
export function visible(text: string, most: number): string {
  const kept = text.length <= most ? text : text.slice(-most)
  const shown = NOT_PLAIN.test(kept) ? madeVisible(kept) : kept
  return text.length <= most ? shown : `[${text.length - most} characters before this are left out]\n${shown}`
}

/** Most texts have none of these, and one search is faster than all the patterns. */
const NOT_PLAIN = /[^\t\n\x20-\x7e]/

const madeVisible = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(SEQUENCES, '')
    .replace(CONTROLS, picture)
    .replace(HIDDEN, named)
    .replace(TAGS, named)
    .replace(LONE, '\ufffd')
    .replace(HEAPED, '$1')

/** The same on one line, and of a long text the beginning. */
export function visibleLine(text: string, most: number): string {
  const kept = text.length <= most ? text : `${text.slice(0, most)}...`
  return visible(kept, kept.length).replace(/\s+/g, ' ').trim()
}

const picture = (control: string): string =>
  control === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + control.charCodeAt(0))

const named = (unit: string): string => `‹U+${(unit.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`
