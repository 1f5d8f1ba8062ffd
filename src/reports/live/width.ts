/** Blocks of the East Asian scripts, first and last code point: two columns each. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
]
const EMOJI = /\p{Emoji_Presentation}/u
const MARK = /[\p{Mn}\p{Me}\u1160-\u11ff]/u

/** Columns one character takes. The two letters of a flag take one each. */
function charWidth(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (MARK.test(char)) return 0
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return 1
  return WIDE.some(([first, last]) => code >= first && code <= last) || EMOJI.test(char) ? 2 : 1
}

/** Columns a clean text takes in a terminal. */
export function textWidth(text: string): number {
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

/** As much of the text as fits; accents stay with their letter, and half a wide character is none. */
export function headOf(text: string, columns: number): string {
  let width = 0
  let end = 0
  for (const char of text) {
    width += charWidth(char)
    if (width > columns) break
    end += char.length
  }
  return text.slice(0, end)
}

/** The text in rows of at most so many columns, broken between words where that is possible. */
export function wrapText(text: string, columns: number): readonly string[] {
  const rows: string[] = []
  let left = text
  while (left !== '') {
    const head = headOf(left, columns)
    if (head === '') break
    if (head === left) {
      rows.push(head)
      break
    }
    const space = left[head.length] === ' ' ? head.length : head.lastIndexOf(' ')
    const end = space > head.length / 2 ? space : head.length
    rows.push(left.slice(0, end).trimEnd())
    left = left.slice(end).trimStart()
  }
  return rows.length === 0 ? [''] : rows
}
