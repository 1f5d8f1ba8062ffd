import { describe, expect, it } from 'vitest'
import {
  type Asked,
  askedFor,
  goesUntested,
  historyOf,
  isOutOfReach,
  openItemsOf,
  type RequirementFacts,
  requirementFor,
  sentencesOf,
} from '../../packages/exitgate/src/checks/expects.ts'

describe('what a task asks for', () => {
  const rows: readonly [task: string, asked: Asked][] = [
    ['Add quoted fields, with tests.', 'proof'],
    ['Fix the crash when the file is empty.', 'proof'],
    ['Implement issue 12', 'proof'],
    ['The parser should keep quotes.', 'proof'],
    ['Dates are wrong by one day.', 'proof'],
    ['Remove the limit so that long names work.', 'proof'],
    ['Refactor the parser and add a streaming mode.', 'proof'],
    ['Update the README. Also fix the crash in parse().', 'proof'],
    ['Refactor the parser.', 'refactor'],
    ['Rename `n` to `value`. Behavior stays the same.', 'refactor'],
    ["Extract the reader into its own module. Don't change the tests.", 'refactor'],
    ['Remove the deprecated flag --old.', 'removal'],
    ['Drop support for Node 16.', 'removal'],
    ['Update the README: say how to install it.', 'docs'],
    ['Fix a typo in the docs.', 'docs'],
    ['Document the options of parse().', 'docs'],
    ['Upgrade eslint to 9.', 'dependencies'],
    ['Bump the dependencies.', 'dependencies'],
    ['Configure eslint for the new folder.', 'config'],
    ['Update the CI workflow.', 'config'],
    ['Add tests for the parser.', 'none'],
    ['Improve the coverage of src/parse.', 'none'],
    ['Blue paragraphs.', 'unclear'],
    ['Issue 12', 'unclear'],
    ['Update the README. See ticket 7.', 'unclear'],
    ['', 'unclear'],
    ['```\nAdd everything\n```', 'unclear'],
    ['# Add a heading\n\nRefactor the parser.', 'refactor'],
    ['# Plan\n\nThe parser should be better.\n\n- [ ] Update the README\n- [x] Document parse()\n', 'docs'],
    ['chore: lint', 'refactor'],
    ['refactor(core): one reader for both', 'refactor'],
    ['docs: how to install', 'docs'],
    ['style: two spaces', 'refactor'],
    ['style: the button should be blue', 'proof'],
    ['style: rounded borders', 'looks'],
    ['chore(deps): bump vitest to 4', 'dependencies'],
    ['build: update packages', 'dependencies'],
    ['test: cover empty files', 'none'],
    ['ci: run on Windows', 'config'],
    ['feat!: quoted fields', 'proof'],
    ['chore: quoted fields', 'unclear'],
    ['Lint rules report the line.', 'unclear'],
    ['refactor: one reader\n\nFix the crash when the file is empty.', 'proof'],
    ['refactor: one reader and fix the crash', 'proof'],
    ['docs: fix the wrong default of --port', 'docs'],
    ['- [ ] Update the README\n- [ ] Quoted fields are kept when a row ends\n', 'proof'],
  ]
  it.each(rows)('%s: %s', (task, asked) => expect(askedFor([task])).toBe(asked))

  it('one text that asks for behavior is enough', () =>
    expect(askedFor(['Refactor the parser.', 'Fix the crash.'])).toBe('proof'))

  it('leaves out items that are done', () =>
    expect(askedFor([openItemsOf('- [x] Fix the crash\n- [ ] Update the README\n')])).toBe('docs'))

  it('reads the items of a plan and not the text around them', () =>
    expect(sentencesOf('Intro.\n\n- [ ] First one. And more\n- [x] Second\n')).toEqual([
      'First one.',
      'And more',
      'Second',
    ]))
})

describe('files that no test can reach', () => {
  const rows: readonly [path: string, tests: readonly string[], is: boolean][] = [
    ['README.md', [], true],
    ['src/site.css', [], true],
    ['img/logo.png', [], true],
    ['.github/workflows/ci.yml', [], true],
    ['src/a.js', [], false],
    ['data.json', [], false],
    ['Dockerfile', [], false],
    ['README.md', ["readFileSync('README.md')"], false],
    ['src/site.css', ["import '../src/other.css'"], true],
  ]
  it.each(rows)('%s with %j: %s', (path, tests, is) => expect(isOutOfReach(path, tests)).toBe(is))
})

describe('how a project tests its changes', () => {
  const isSource = (path: string) => path.startsWith('src/')
  const commits = (tested: number, untested: number) => [
    ...Array.from({ length: tested }, () => ['src/a.js', 'a.test.js']),
    ...Array.from({ length: untested }, () => ['src/a.js', 'README.md']),
  ]
  it.each([
    [20, 0, false],
    [13, 7, true],
    [14, 6, false],
    [12, 7, false],
    [0, 19, false],
    [0, 20, true],
    [67, 33, false],
    [66, 34, true],
    [67, 80, false],
  ])('%i commits with a test, then %i without: %s', (tested, untested, is) =>
    expect(goesUntested(historyOf(commits(tested, untested), isSource))).toBe(is),
  )
  it('counts only commits that change product code', () =>
    expect(historyOf([['README.md'], ['a.test.js'], ['src/a.js']], isSource)).toEqual({ commits: 1, untested: 1 }))
})

describe('whether proof is required', () => {
  const auto: RequirementFacts = {
    mode: 'auto',
    isAsked: true,
    asked: 'proof',
    outOfReach: false,
    history: async () => undefined,
  }
  const untested = async () => ({ commits: 30, untested: 30 })
  const rows: readonly [name: string, facts: Partial<RequirementFacts>, required: boolean, why: RegExp][] = [
    ['a task that asks for behavior', {}, true, /changed behavior/],
    ['words that say nothing', { asked: 'unclear' }, true, /changed behavior/],
    ['the same with files out of reach', { asked: 'unclear', outOfReach: true }, false, /no test here can reach/],
    ['behavior, with files out of reach', { outOfReach: true }, true, /changed behavior/],
    ['a refactoring', { asked: 'refactor' }, false, /the same behavior in other code/],
    ['nothing', { asked: 'none' }, false, /nothing that a new test can show/],
    ['a project that does not test its changes', { history: untested }, false, /30 of the last 30 commits/],
    ['report', { mode: 'report' }, false, /"report"/],
    ['required, whatever is asked', { mode: 'required', asked: 'docs', isAsked: false }, true, /"required"/],
    ['check and hooks', { isAsked: false }, false, /only a run with the default preset/],
  ]
  it.each(rows)('%s', async (_, facts, required, why) => {
    const found = await requirementFor({ ...auto, ...facts })
    expect([found.required, found.why]).toEqual([required, expect.stringMatching(why)])
  })
})
