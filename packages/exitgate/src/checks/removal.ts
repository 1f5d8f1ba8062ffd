import { sentencesOf } from './expects.ts'
import { titleOf } from './test-names.ts'

const REMOVAL =
  /\b(?:remov(?:e[sd]?|ing|al)|delet(?:e[sd]?|ing|ion)|drop(?:s|ped|ping)?|deprecat(?:e[sd]?|ing|ion)|no longer|get rid of)\b/i
const SHORTEST_TITLE = 8
const NAME = /[\p{L}_$][\p{L}\p{N}_$]{2,}/gu

/**
 * Whether the user's words ask for the removal of what a test checks. A sentence with a word of removal must name the test, or
 * something that it uses and that is gone from the project. Other words settle nothing.
 */
export function isRemovalAsked(
  userTexts: readonly string[],
  test: { readonly name: string; readonly body?: string | undefined },
  isGone: (name: string) => boolean,
): boolean {
  const title = plain(titleOf(test.name))
  const used = new Set(`${test.name} ${test.body ?? ''}`.match(NAME))
  return userTexts
    .flatMap(sentencesOf)
    .filter((sentence) => REMOVAL.test(sentence))
    .some(
      (sentence) =>
        (title.length >= SHORTEST_TITLE && plain(sentence).includes(title)) ||
        (sentence.match(NAME) ?? []).some((name) => used.has(name) && isGone(name)),
    )
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s_"'`-]+/g, ' ')
    .trim()
