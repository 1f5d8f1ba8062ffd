/** More of one line than any terminal shows. */
const LONGEST = 2000

// Whole escape sequences: CSI with its parameters, strings (OSC, DCS, APC, PM, SOS) up to their end, and the two-letter ones.
export const SEQUENCES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g

// What has no shape of its own or turns its neighbours around: controls, marks of direction, joiners, private and lone halves of pairs.
const SHAPELESS = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|\p{Variation_Selector}|\p{Emoji_Modifier}/gu

// A heap of accents on one letter paints over the lines around it.
const HEAPED = /(\p{M}{2})\p{M}+/gu

/** Most lines are ASCII; nothing in them needs a closer look. */
export const PLAIN = /^[ -~]*$/

/**
 * Text from agents and files as one line that can't control the terminal. Escape sequences, control characters and direction marks are
 * removed. Every remaining character has the same width in all terminals.
 */
export function clean(text: string): string {
  if (PLAIN.test(text) && text.length <= LONGEST) return text.trimEnd()
  return text
    .slice(0, LONGEST)
    .replace(SEQUENCES, '')
    .replace(/[\t\r\n\u000b\u000c\u0085\u2028\u2029]+/g, ' ')
    .replace(SHAPELESS, '')
    .replace(HEAPED, '$1')
    .trimEnd()
}

/** For where only ASCII can be shown, never wider than it was. The text is clean already: an escape in it is one of our colours. */
export const asciiOnly = (text: string): string =>
  text.replace(/\p{M}|[\u1160-\u11ff]/gu, '').replace(/[^\u001b\u0020-\u007e]/gu, '?')
