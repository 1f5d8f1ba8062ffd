import fc from 'fast-check'

const SURROGATES = 0x800
const FIRST_SURROGATE = 0xd800
const CHARACTERS = 0x110000 - SURROGATES

/**
 * The unit of strings of any characters: the same values as fast-check's own `binary`. That one lists more than a million
 * characters in each process, which takes a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(CHARACTERS - 1).map(
  (n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined
    if (code === undefined || character !== String.fromCodePoint(code) || /[\ud800-\udfff]/u.test(String(character)))
      throw new Error('not one character')
    return code < FIRST_SURROGATE ? code : code - SURROGATES
  },
)
