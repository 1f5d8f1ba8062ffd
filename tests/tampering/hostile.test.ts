import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCorpus } from '../../bench/tampering-corpus.mjs'
import { loadGrammars } from '../../src/evidence/syntax/parse.ts'
import { findTampering, type SourceView } from '../../src/evidence/tampering/index.ts'
import { readUnit } from '../../src/evidence/tampering/source/unit.ts'
import { startedFiles } from '../../src/evidence/tampering/test-scripts/started-files.ts'
import { anyCharacter } from '../any-character.ts'

/** A test file in each supported language, and files that are read as settings, recipes and scripts. */
const PLACES = [
  'src/a.test.ts',
  'tests/test_a.py',
  'pkg/a_test.go',
  'tests/a.rs',
  'src/test/java/ATest.java',
  'src/test/kotlin/ATest.kt',
  'tests/ATests.cs',
  'spec/a_spec.rb',
  'tests/ATest.php',
  'test/a.bats',
  'package.json',
  'Makefile',
  'justfile',
  'check.sh',
  'tools/run-checks.js',
  'pytest.ini',
  'pyproject.toml',
  'phpunit.xml',
  'vitest.config.ts',
  '.github/workflows/ci.yml',
  'Jenkinsfile',
  'conftest.py',
  '__snapshots__/a.test.ts.snap',
  'package-lock.json',
  '.claude/settings.json',
]
const COMMANDS = [{ command: 'sh check.sh && node tools/run-checks.js && make test', cwd: '', behind: 'npm test' }]

interface Case {
  readonly id: string
  readonly before: SourceView
  readonly after: SourceView
}
const cases: readonly Case[] = ['open', 'held-back'].flatMap((part) =>
  readCorpus(join(import.meta.dirname, '../golden/tampering', part)),
)
const textsOf = ({ before, after }: Case) =>
  [before, after].flatMap((view) => view.paths.map((path) => ({ path, text: view.read(path) ?? '' })))
const REAL = cases.flatMap(textsOf)

/** A tree that counts its reads, to show work that grows with the square of a file's size. */
function tree(files: Readonly<Record<string, string>>): SourceView & { readonly reads: () => number } {
  let reads = 0
  return {
    paths: Object.keys(files),
    read: (path) => {
      reads += 1
      return Object.hasOwn(files, path) ? files[path] : undefined
    },
    reads: () => reads,
  }
}

/** Every finding names a file of one of the two trees and has a text, and the number of reads is limited. */
async function checkFindings(
  was: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): Promise<void> {
  const [before, after] = [tree(was), tree(now)]
  const found = await findTampering(before, after, { commands: COMMANDS })
  for (const { file, detail, line } of found) {
    expect([...before.paths, ...after.paths]).toContain(file)
    expect(detail).not.toBe('')
    expect(line ?? 1).toBeGreaterThan(0)
  }
  expect(before.reads() + after.reads()).toBeLessThan(5_000)
  expect(await findTampering(after, after, { commands: COMMANDS })).toEqual([])
}

const PIECES = [
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '`',
    '"""',
    '\\',
    '/*',
    '*/',
    '//',
    '#',
    '<<EOF',
    '<?php',
    '?>',
    '=begin',
  ],
  ...[
    'it(',
    "test('a', () => {",
    'describe.each`',
    'def test_a(self):',
    'func TestA(t *testing.T) {',
    '#[test]',
    '@Test',
  ],
  ...[
    'expect(a).toBe(',
    'assert',
    'assert_eq!(',
    'end',
    'do',
    'if',
    'else:',
    '\n',
    '\n    ',
    '\t',
    ' ',
    ';',
    '$(',
    '${',
  ],
  ...[
    '\u0000',
    '\ufeff',
    '\u2028',
    '\u202e',
    '\ud800',
    '𝒳',
    'é',
    'ß',
    '::',
    '=>',
    '->',
    '%w[',
    'r#"',
    '@"',
    '$"{',
    '|| true',
  ],
]
const garbage = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
)
const place = fc.constantFrom(...PLACES)
const files = fc.dictionary(place, garbage, { maxKeys: 5 })
/** Removes, doubles or replaces a part of a text. */
const mutation = fc.record({ at: fc.nat(4_000), length: fc.nat(300), put: garbage, twice: fc.boolean() })
const mutated = (
  text: string,
  { at, length, put, twice }: { at: number; length: number; put: string; twice: boolean },
) => {
  const from = text.length === 0 ? 0 : at % text.length
  const gone = text.slice(from, from + length)
  return `${text.slice(0, from)}${twice ? gone + gone : ''}${put}${text.slice(from + length)}`
}

describe('hostile file contents', () => {
  it.each([
    ['an assertion that continues past the end of the file', 'tests/test_a.py', 'def test_a():\n    assert a == b \\'],
    ['an empty assertion that continues past the end', 'tests/test_a.py', 'def test_a():\n    assert \\'],
  ])('%s', async (_name, path, text) => {
    await checkFindings({ [path]: 'def test_a():\n    assert a == b\n' }, { [path]: text })
  })

  it('brackets too deep to read: the tests count as gone', async () => {
    const text = "it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n"
    const found = await findTampering(
      tree({ 'a.test.ts': text }),
      tree({ 'a.test.ts': `${text}// ${'('.repeat(2000)}` }),
    )
    expect(found.map(({ kind }) => kind)).toEqual(['test-removed', 'test-removed'])
  })

  it('garbage in any kind of file causes no error', async () => {
    await fc.assert(
      fc.asyncProperty(files, files, (was, now) => checkFindings(was, now)),
      { numRuns: 300 },
    )
  })

  it('neither do real files with random changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...REAL),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        ({ path, text }, all) => checkFindings({ [path]: text }, { [path]: all.reduce(mutated, text) }),
      ),
      { numRuns: 400 },
    )
  })

  it("nor real files with another language's extension", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...REAL), fc.constantFrom(...REAL), place, (one, two, path) =>
        checkFindings({ [path]: one.text }, { [path]: two.text }),
      ),
      { numRuns: 200 },
    )
  })

  /** Texts that could be read again from every position. */
  const LONG: readonly (readonly [string, string])[] = [
    ['one line of a megabyte', 'x'.repeat(1_000_000)],
    ['a string that never ends', `"${'a '.repeat(500_000)}`],
    ['brackets that only open', '('.repeat(20_000)],
    ['brackets that only close', '})]'.repeat(20_000)],
    ['brackets that do not match', '([{'.repeat(5_000) + ')]}'.repeat(5_000)],
    ['all kinds of quotes', `"'\``.repeat(20_000)],
    ['nested comments', '/*'.repeat(50_000)],
    ['heredocs that never end', '<<EOF\n'.repeat(5_000)],
  ]
  it.each(LONG.flatMap(([name, text]) => PLACES.slice(0, 15).map((path) => [`${path}: ${name}`, path, text] as const)))(
    '%s',
    async (_name, path, text) => {
      await checkFindings({ [path]: text.slice(0, 100) }, { [path]: text })
    },
  )
})

describe('the files that a command starts', () => {
  it('are found with limited work, whatever the scripts contain', () => {
    const names = ['check.sh', 'a.sh', 'b.sh', 'tools/c.js', 'package.json', 'Makefile']
    const lines = fc.array(
      fc.oneof(
        fc.constantFrom('sh a.sh', '. ./b.sh', 'node tools/c.js', 'make', 'npm test', 'cd ..', 'sh -c "sh a.sh"'),
        garbage,
      ),
      { maxLength: 80 },
    )
    const scripts = fc.dictionary(
      fc.constantFrom(...names),
      lines.map((all) => all.join('\n')),
    )
    fc.assert(
      fc.property(scripts, garbage, (texts, command) => {
        const view = tree({ ...texts, Makefile: `test:\n\tsh check.sh\n\tmake test\n${texts.Makefile ?? ''}` })
        const found = startedFiles([...COMMANDS, { command, cwd: '' }], view.read)
        expect(view.paths).toEqual(expect.arrayContaining([...found]))
        expect(view.reads()).toBeLessThanOrEqual(600)
      }),
      { numRuns: 150 },
    )
  })

  it.each<readonly [command: string, files: Record<string, string>, found: readonly string[]]>([
    ['sh check.sh', { 'check.sh': 'x' }, ['check.sh']],
    ['CI=1 timeout 9 bash ./scripts/test.sh -v', { 'scripts/test.sh': 'x' }, ['scripts/test.sh']],
    ['node tools/run', { 'tools/run.js': 'x' }, ['tools/run.js']],
    ['./run', { run: '#!/bin/sh\n. lib/env.sh', 'lib/env.sh': 'x' }, ['run', 'lib/env.sh']],
    ['cd web && sh check.sh', { 'web/check.sh': 'x', 'check.sh': 'y' }, ['web/check.sh']],
    ['bash -c "sh check.sh; true"', { 'check.sh': 'x' }, ['check.sh']],
    ['make -C sub test', { 'sub/Makefile': 'test:\n\tsh t.sh\n', 'sub/t.sh': 'x' }, ['sub/t.sh']],
    [
      'npm test',
      { 'package.json': '{"scripts": {"pretest": "node a.js", "test": "sh b.sh"}}', 'a.js': 'x', 'b.sh': 'y' },
      ['a.js', 'b.sh'],
    ],
    ['sh a.sh', { 'a.sh': '"$(dirname "$0")/b.sh"', 'b.sh': 'sh a.sh' }, ['a.sh', 'b.sh']],
    ['vitest run src/a.test.ts', { 'src/a.test.ts': "test('a', () => {})" }, []],
    ['node node_modules/x/run.js', { 'node_modules/x/run.js': 'x' }, []],
    ['sh ../outside.sh', { '../outside.sh': 'x' }, []],
  ])('%s', (command, texts, found) => {
    expect(startedFiles([{ command, cwd: '' }], tree(texts).read)).toEqual(found)
  })
})

describe('recently read files', () => {
  it('are cached, and reading them again returns equal tokens', async () => {
    await loadGrammars(['tsx', 'typescript'])
    const texts = REAL.slice(0, 40).map(({ text }) => text)
    const first = texts.map((text) => readUnit(text, 'javascript').tokens)
    // Reads all of them as another language, so that the cache no longer has the first ones.
    for (const text of texts) readUnit(text, 'kotlin')
    expect(texts.map((text) => readUnit(text, 'javascript').tokens)).toEqual(first)
    expect(readUnit(texts[0]!, 'javascript')).toBe(readUnit(texts[0]!, 'javascript'))
  })
})
