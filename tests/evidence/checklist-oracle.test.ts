import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../any-character.ts'
import { boxesByMdast, boxesByUs } from './oracle.ts'

/** Markdown, and its boxes: x or o, and the line. */
const rows: [name: string, markdown: string, boxes: string][] = [
  ['dash, star, plus', '- [ ] a\n* [x] b\n+ [X] c', 'o1 x2 x3'],
  ['ordered, both delimiters', '1. [ ] a\n2. [x] b\n\n1) [ ] c', 'o1 x2 o4'],
  ['nested by two', '- [x] a\n  - [ ] b\n    - [x] c', 'x1 o2 x3'],
  ['nested under a number', '1. [x] a\n   - [ ] b', 'x1 o2'],
  ['indented by three', '   - [ ] a', 'o1'],
  ['four spaces are code', '    - [ ] a', ''],
  ['a tab is code', '\t- [ ] a', ''],
  ['four spaces after a paragraph are its text', 'text\n    - [ ] a', ''],
  ['too deep is text of the item above', '- [ ] a\n        - [ ] b', 'o1'],
  ['a tab after the marker', '-\t[ ] a', 'o1'],
  ['a tab nests', '- [ ] a\n\t- [x] b', 'o1 x2'],
  ['five spaces after the marker are code', '-     [ ] a', ''],
  ['an empty bracket', '- [] a', ''],
  ['two blanks', '- [  ] a', ''],
  ['a date', '- [2026-01-29] a', ''],
  ['a note', '- [NOTE] a', ''],
  ['a version', '- [v1.0] a', ''],
  ['a link', '- [link](x)', ''],
  ['a link named x', '- [x](y)', ''],
  ['no space after', '- [x]a', ''],
  ['no text after', '- [ ]', ''],
  ['blanks after', '- [ ]   ', ''],
  ['text on the next line', '- [ ]\n  a', 'o1'],
  ['box on the second line', '-\n  [ ] a', 'o2'],
  ['box on the second line, indented', '-\n   [ ] a', ''],
  ['not after two blank lines', '-\n\n  [ ] a', ''],
  ['no marker', '[ ] a', ''],
  ['no space after the marker', '-[ ] a', ''],
  ['escaped', '- \\[ ] a', ''],
  ['escaped marker', '\\- [ ] a', ''],
  ['bold', '- **[ ] a**', ''],
  ['later in the text', '- a [ ] b', ''],
  ['second paragraph', '- a\n\n  [ ] b', ''],
  ['in a fence', '```\n- [ ] a\n```\n- [x] b', 'x4'],
  ['in a fence of waves', '~~~md\n- [ ] a\n~~~', ''],
  ['in a fence that never closes', '```\n- [ ] a', ''],
  ['a longer fence', '````\n```\n- [ ] a\n````\n- [x] b', 'x5'],
  ['a fence in an item', '- a\n  ```\n  - [ ] b\n  ```\n- [x] c', 'x5'],
  ['a fence ends with its item', '- ```\n- [ ] a', 'o2'],
  ['backticks with backticks are no fence', '``` a ` b\n- [ ] a', 'o2'],
  ['in a comment', '<!--\n- [ ] a\n-->\n- [x] b', 'x4'],
  ['in a comment of one line', '<!-- - [ ] a -->\n- [x] b', 'x2'],
  ['after a comment on its line', '<!-- a --> - [ ] b', ''],
  ['a comment inside a paragraph', 'text <!--\n- [ ] a\n-->', 'o2'],
  ['an item that starts with a comment', '- <!-- x --> [ ] a', ''],
  ['in a block of HTML', '<details>\n- [ ] a\n</details>', ''],
  ['after a blank line in HTML', '<details>\n\n- [ ] a\n\n</details>', 'o3'],
  ['in a pre', '<pre>\n\n- [ ] a\n</pre>\n- [x] b', 'x5'],
  ['quoted', '> - [ ] a\n> - [x] b', 'o1 x2'],
  ['a quote in an item', '- > [ ] a', ''],
  ['an item in an item', '- - [ ] a', 'o1'],
  ['a bullet in a number', '1. - [x] a', 'x1'],
  ['a bullet interrupts a paragraph', 'text\n- [ ] a', 'o2'],
  ['two does not interrupt a paragraph', 'text\n2. [ ] a', ''],
  ['one does', 'text\n1. [ ] a', 'o2'],
  ['an empty bullet does not', 'text\n-\n- [ ] a', 'o3'],
  ['a rule is no item', '- [ ] a\n- - -\n- [x] b', 'o1 x3'],
  ['a title underlined', '- [ ] a\n  ---', ''],
  ['a rule after a list', '- [ ] a\n---\n- [x] b', 'o1 x3'],
  ['a heading in an item', '- # [ ] a', ''],
  ['windows line ends', '- [ ] a\r\n- [x] b\r\n', 'o1 x2'],
  ['old mac line ends', '- [ ] a\r- [x] b', 'o1 x2'],
  ['a lazy line', '- [ ] a\nb\n- [x] c', 'o1 x3'],
  ['a loose list', '- [ ] a\n\n- [x] b', 'o1 x3'],
  ['a wide gap', '-   [ ] a\n    - [x] b', 'o1 x2'],
  ['a reference definition before', '[a]: /b\n- [ ] c', 'o2'],
]

describe('finds boxes where a Markdown parser does', () => {
  it.each(rows)('%s', (_name, markdown, boxes) => {
    expect(boxesByUs(markdown)).toBe(boxes)
    expect(boxesByMdast(markdown)).toBe(boxes)
  })

  /** Where the oracle deviates from CommonMark, the reference implementation gives these results. */
  const specified: [name: string, markdown: string, boxes: string][] = [
    ['a number after indented code starts a list', '    code\n2. [ ] a', 'o2'],
    ['an empty bullet after indented code starts a list', '    code\n-\n  [ ] a', 'o3'],
    ['a number in a quote that interrupts a paragraph starts a list', 'text\n> 2. [ ] a', 'o2'],
    ['a lone tag on a lazy line is text', '- [x] a\n<b>\n  - [ ] c', 'x1 o3'],
  ]
  it.each(specified)('%s', (_name, markdown, boxes) => expect(boxesByUs(markdown)).toBe(boxes))
})

const indents = ['', '', '', ' ', '  ', '   ', '    ', '      ', '\t', '> ', '>', ' \t', '        ']
const starts = [
  '- [ ] a',
  '- [x] b',
  '* [X] c',
  '+ [ ] d',
  '1. [ ] e',
  '1. [x] f',
  '- - [ ] z',
  '1. - [x] y',
  '> - [ ] q',
]
const broken = [
  '- [ ]',
  '- [  ] q',
  '- []',
  '- [x](l)',
  '[ ] bare',
  '-     [ ] code',
  '- \\[ ] e',
  '- **[ ] b**',
  '- > [ ] q',
]
const blocks = [
  '```',
  '~~~',
  '````',
  '<!--',
  '-->',
  '<!-- x -->',
  '<div>',
  '<details>',
  '<script>',
  '</script> end',
  '<?',
  '?>',
]
const others = [
  'para',
  '- text',
  '# H',
  '## H2 ##',
  '---',
  '===',
  '***',
  '-\t[ ] t',
  '-  [ ] two',
  '-    [ ] four',
  '- ```',
  '|a|',
]
const fragment = fc.constantFrom(...starts, ...starts, ...broken, ...blocks, ...others)
const line = fc.oneof(
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...indents), fragment).map(([indent, text]) => indent + text) },
)
/** Numbers after indented code: see `specified` above. */
const disputed = /^(?: {4}| {0,3}\t| {0,3}> ? {4}| {0,3}> ?\t).*\n\n*[ >\t]*\d[.)]/m

describe('generated documents', () => {
  it('have the boxes that mdast finds', () => {
    const documents = fc.array(line, { minLength: 1, maxLength: 9 }).map((lines) => lines.join('\n'))
    const clear = documents.filter((markdown) => !disputed.test(markdown))
    const property = fc.property(clear, (markdown) => {
      expect(boxesByUs(markdown)).toBe(boxesByMdast(markdown))
    })
    fc.assert(property, { numRuns: 3_000 })
  })

  it('never make it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        expect(boxesByUs(text)).toBeTypeOf('string')
      }),
    )
  })
})
