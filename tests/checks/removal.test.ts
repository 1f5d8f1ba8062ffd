import { expect, it } from 'vitest'
import { isRemovalAsked } from '../../packages/exitgate/src/checks/removal.ts'

const body = 'assert.equal(legacySum(1, 2), 3)'
const rows: readonly [text: string, name: string, gone: readonly string[], answer: boolean][] = [
  ['Remove the deprecated function legacySum.', 'sums', ['legacySum'], true],
  ['- [ ] Drop `legacySum`, nobody calls it', 'sums', ['legacySum'], true],
  ['We no longer support legacySum.', 'sums', ['legacySum'], true],
  ['Delete the test "sums up the old way".', 'sums up the old way', [], true],
  ['Remove legacySum.', 'sums', [], false],
  ['Remove legacySum.', 'adds', ['other'], false],
  ['Remove the other function.', 'sums', ['legacySum'], false],
  ['Change legacySum so that it is faster.', 'sums', ['legacySum'], false],
  ['Make legacySum work. Remove the comment in other.', 'sums', ['legacySum', 'other'], false],
  ['', 'sums', ['legacySum'], false],
]

it.each(rows)('%s (test %s, gone: %j): %s', (text, name, gone, answer) => {
  expect(isRemovalAsked([text], { name, body }, (word) => gone.includes(word))).toBe(answer)
})
