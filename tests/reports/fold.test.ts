import { expect, it } from 'vitest'
import { foldText } from '../../packages/core/src/fold.ts'
import { painter } from '../../src/reports/verdict-text.ts'

const paint = painter({ color: true })

it.each<[about: string, text: string, columns: number | undefined, expected: string]>([
  ['a pipe', 'one two three four', undefined, 'one two three four'],
  ['a line that fits', 'one two three', 13, 'one two three'],
  ['a sentence', 'one two three four', 9, 'one two\nthree\nfour'],
  ['a list item', '  - one two three', 11, '  - one two\n    three'],
  ['a check', '  pass    tests: all of them pass', 26, '  pass    tests: all of\n          them pass'],
  ['a named row', 'you said   use the other kettle', 20, 'you said   use the\n           other\n           kettle'],
  ['a word wider than the screen', '  - /a/very/long/path and more', 10, '  - /a/very/long/path\n    and\n    more'],
  [
    'an indent wider than the screen',
    'you said   use the kettle',
    1,
    'you said   use\n           the\n           kettle',
  ],
  ['colours', paint('one two three', 'red'), 8, '\u001b[31mone two\nthree\u001b[0m'],
  ['a painted name', `${paint('status     ', 'dim')}one two`, 15, '\u001b[2mstatus     \u001b[0mone\n           two'],
  ['several lines', 'one two\n\nthree four\n', 7, 'one two\n\nthree\nfour\n'],
])('%s is broken only between words', (_about, text, columns, expected) => {
  expect(foldText(text, columns)).toBe(expected)
})
