import { describe, expect, it } from 'vitest'
import { problemsIn } from '../scripts/lint-prose.mjs'
import { proseIn } from '../scripts/prose.mjs'

describe('what counts as English', () => {
  const code: readonly (readonly [string, string, string, readonly string[]])[] = [
    ['a line comment', 'src/a.ts', '// Ends the run.\nconst a = 1', ['comment: Ends the run.']],
    [
      'lines of one comment',
      'src/a.ts',
      '// Ends the run\n// at once.\nconst a = 1',
      ['comment: Ends the run at once.'],
    ],
    ['a block comment', 'src/a.ts', '/**\n * Ends\n * the run.\n */\nconst a = 1', ['comment: Ends the run.']],
    ['a message', 'src/a.ts', "fail('The run has ended.')", ['message: The run has ended.']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code
    ['values in a message', 'src/a.ts', 'fail(`The ${kind} has ${n} items.`)', ['message: The ‹› has ‹› items.']],
    ['names and paths', 'src/a.ts', "import a from 'some module name'\nconst b = 'one-two'", []],
    ['a query', 'src/a.ts', "query('SELECT id FROM runs WHERE name = 1')", []],
    ['a directive', 'src/a.ts', '// biome-ignore lint: it is needed here\nconst a = 1', []],
    ['a test title', 'tests/a.test.ts', "it.each(rows)('ends the whole run', () => {})", ['title: ends the whole run']],
    ['data of a test', 'tests/a.test.ts', "expect(a).toBe('whoever reads this text')", []],
  ]
  it.each(code)('%s', (_, file, source, expected) => {
    expect(proseIn(file, source).map(({ kind, text }) => `${kind}: ${text}`)).toEqual(expected)
  })

  it('Markdown: paragraphs, lists, cells and headings, without code', () => {
    const page =
      '# A page\n\nOne `x` and [a link](b.md) here.\n\n```sh\nwhoever runs this\n```\n\n- a list item here\n\n| a | the second cell here |\n|---|---|\n'
    expect(proseIn('docs/a.md', page).map(({ kind, line, text }) => `${kind} ${line}: ${text}`)).toEqual([
      'heading 1: A page',
      'paragraph 3: One ‹› and a link here.',
      'paragraph 9: a list item here',
      'paragraph 11: the second cell here',
    ])
  })
})

describe('English that is refused', () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Mend the configuration.', 'Mend'],
    ['Fix the configuration.', undefined],
    ['Whoever reads it knows.', 'Whoever'],
    ['It stands in the journal.', 'stands'],
    ['Python stands for the rest.', undefined],
    ['The text behind the dash.', 'behind'],
    ['That is no number.', 'is no n'],
    ['There is no number.', undefined],
    ['It is no longer needed.', undefined],
    ['The agent says that it is done.', 'says that'],
    ['The agent says it is done.', undefined],
    ['Is the test wrong, then say so.', 'Is the test wrong, then say so.'],
    ['Is the test wrong? Then say so.', undefined],
    ['It took 1 iterations in total.', '1 iterations'],
    ['It took 11 iterations in total.', undefined],
  ]
  it.each(rows)('%s', (text, refused) => {
    const found = problemsIn('src/a.ts', [{ kind: 'comment', line: 1, text }])
    expect(found.map((problem) => /"(.*?)": /.exec(problem)?.[1])).toEqual(refused === undefined ? [] : [refused])
  })

  it('a sentence that is too long', () => {
    const text = `It is ${'very '.repeat(30)}long. And this one is short.`
    expect(problemsIn('docs/a.md', [{ kind: 'paragraph', line: 3, text }])).toEqual([
      expect.stringContaining('docs/a.md:3: 33 words in a sentence, the limit is 25: It is very'),
    ])
  })
})
