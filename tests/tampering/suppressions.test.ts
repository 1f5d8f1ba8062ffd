import { describe, expect, it } from 'vitest'
import { findTampering, type SourceView } from '../../src/evidence/tampering/index.ts'

const tree = (files: Readonly<Record<string, string>>): SourceView => ({
  paths: Object.keys(files),
  read: (path) => files[path],
})

/** The findings about suppressions, as `severity file:line text`. */
async function foundIn(path: string, before: string, after: string, required: readonly string[] = []) {
  const found = await findTampering(tree({ [path]: before }), tree({ [path]: after }), { required })
  return found
    .filter(({ kind }) => kind === 'suppression-added')
    .map(({ severity, file, line, after: text }) => `${severity} ${file}:${line} ${text}`)
}

const LISTED: readonly (readonly [path: string, line: string, shown?: string])[] = [
  ['src/a.ts', '// @ts-ignore the types are wrong'],
  ['src/a.ts', '// @ts-nocheck'],
  ['src/a.tsx', '{/* @ts-expect-error */}'],
  ['src/a.js', 'run() // eslint-disable-line no-undef', '// eslint-disable-line no-undef'],
  ['src/a.js', '/* eslint-disable */'],
  ['src/a.js', '/* eslint no-undef: "off" */'],
  ['src/a.ts', '// biome-ignore lint/suspicious/noExplicitAny: later'],
  ['src/a.ts', '// deno-lint-ignore no-explicit-any'],
  ['src/a.vue', '<!-- eslint-disable -->'],
  ['a.py', 'import os  # noqa: F401', '# noqa: F401'],
  ['a.py', 'x = f()  # type: ignore[attr-defined]', '# type: ignore[attr-defined]'],
  ['a.py', '# pylint: disable=all'],
  ['a.py', '# pyright: basic'],
  ['a.go', 'f() //nolint:errcheck', '//nolint:errcheck'],
  ['a.go', '//lint:ignore SA1019 later'],
  ['src/a.rs', '#[allow(dead_code)]'],
  ['src/lib.rs', '#![allow(clippy::all)]'],
  ['src/a.rs', '#[cfg_attr(test, allow(unused))]'],
  ['A.java', '@SuppressWarnings("unchecked")'],
  ['A.kt', '@file:Suppress("DEPRECATION")'],
  ['A.cs', '#pragma warning disable CS8602'],
  ['a.rb', 'x = 1 # rubocop:disable Style/All', '# rubocop:disable Style/All'],
  ['a.php', '/** @psalm-suppress MixedArgument */', '@psalm-suppress MixedArgument */'],
  ['a.php', '// @phpstan-ignore-next-line', '@phpstan-ignore-next-line'],
  ['a.c', 'int x; // NOLINT', '// NOLINT'],
  ['run.sh', '# shellcheck disable=SC2086'],
  ['a.scss', '/* stylelint-disable */'],
]

describe('a new suppression is listed', () => {
  it.each(LISTED.map(([path, line, shown = line]) => [path, line, shown] as const))('%s: %s', async (...row) => {
    const [path, line, shown] = row
    expect(await foundIn(path, 'first\n', `first\n${line}\n`)).toEqual([`warn ${path}:2 ${shown}`])
    expect(await foundIn(path, '', line)).toEqual([`warn ${path}:1 ${shown}`])
    expect(await foundIn(path, `${line}\nfirst\n`, `first\n\n${line}\n`), 'moved').toEqual([])
    expect(await foundIn(path, `${line}\n`, 'first\n'), 'removed').toEqual([])
    expect(await foundIn(path, `${line}\n`, `${line}\n${line}\n`), 'once more').toHaveLength(1)
  })

  it('three of them are three findings', async () => {
    const after = '// @ts-ignore\na()\n// eslint-disable-next-line no-console\nb()\nc() // @ts-expect-error\n'
    expect(await foundIn('src/a.ts', 'a()\nb()\nc()\n', after)).toEqual([
      'warn src/a.ts:1 // @ts-ignore',
      'warn src/a.ts:3 // eslint-disable-next-line no-console',
      'warn src/a.ts:5 // @ts-expect-error',
    ])
  })

  it.each([
    ['src/a.test.ts', '// @ts-expect-error a number is no text', 'a test of types'],
    ['src/a.ts', "const mark = '@ts-ignore'", 'a text'],
    ['dist/a.js', '/* eslint-disable */', 'built'],
    ['src/a.ts', '// what eslint-plugin-x ignores', 'another comment'],
    ['src/a.rs', '#[allowed(dead_code)]', 'another attribute'],
    ['a.py', '# a note on quality', 'another comment'],
  ])('%s: %s is none (%s)', async (path, line) => {
    expect(await foundIn(path, 'first\n', `first\n${line}\n`)).toEqual([])
  })
})

describe('a suppression rejects a claim', () => {
  it.each<readonly [path: string, line: string, command: string, severity: 'block' | 'warn']>([
    ['src/a.ts', '// @ts-ignore', 'npx tsc --noEmit', 'block'],
    ['src/a.ts', '// @ts-ignore', 'eslint .', 'warn'],
    ['src/a.ts', '// eslint-disable-next-line', 'eslint .', 'block'],
    ['a.py', 'x # noqa', 'ruff check', 'block'],
    ['a.py', 'x # type: ignore', 'mypy src', 'block'],
    ['a.py', 'x # type: ignore', 'pytest', 'warn'],
    ['a.go', 'f() //nolint', 'golangci-lint run', 'block'],
    ['src/a.rs', '#[allow(dead_code)]', 'cargo clippy -- -D warnings', 'block'],
    ['src/a.rs', '#[allow(dead_code)]', 'cargo test', 'warn'],
    ['A.java', '@SuppressWarnings("all")', 'mvn test', 'warn'],
    ['a.rb', '# rubocop:disable all', 'bundle exec rubocop', 'block'],
  ])('%s: %s with %s: %s', async (path, line, command, severity) => {
    const [found] = await foundIn(path, 'first\n', `first\n${line}\n`, [command])
    expect(found?.split(' ')[0]).toBe(severity)
  })
})

describe('a checker that is set to check less is listed', () => {
  it.each<readonly [path: string, before: string, after: string, shown: string]>([
    [
      'tsconfig.json',
      '{"compilerOptions": {"strict": true}}',
      '{"compilerOptions": {"strict": false}}',
      'compilerOptions.strict: false',
    ],
    ['.eslintrc.json', '{"rules": {"no-undef": "error"}}', '{"rules": {"no-undef": "off"}}', 'rules.no-undef: off'],
    ['.eslintrc.json', '{"rules": {"eqeqeq": ["error"]}}', '{"rules": {"eqeqeq": ["off"]}}', 'rules.eqeqeq: off'],
    [
      'biome.json',
      '{"linter": {"rules": {"style": {"useConst": "error"}}}}',
      '{"linter": {"rules": {"style": {"useConst": "off"}}}}',
      'linter.rules.style.useConst: off',
    ],
    [
      'pyproject.toml',
      '[tool.ruff.lint]\nignore = ["E501"]\n',
      '[tool.ruff.lint]\nignore = ["E501", "F401"]\n',
      'tool.ruff.lint.ignore: E501, F401',
    ],
    ['pyproject.toml', '[tool.mypy]\nstrict = true\n', '[tool.mypy]\nstrict = false\n', 'tool.mypy.strict: false'],
    ['mypy.ini', '[mypy]\nfiles = a\n', '[mypy]\nfiles = a\nignore_errors = true\n', 'mypy.ignore_errors: true'],
    ['.rubocop.yml', 'Style/All:\n  Enabled: true\n', 'Style/All:\n  Enabled: false\n', 'Style/All.Enabled: false'],
    ['phpstan.neon', 'parameters:\n  level: 8\n', 'parameters:\n  level: 5\n', 'parameters.level: 5'],
  ])('%s', async (path, before, after, shown) => {
    expect(await foundIn(path, before, after)).toEqual([expect.stringMatching(/^warn /)])
    expect((await foundIn(path, before, after))[0]).toContain(shown)
    expect(await foundIn(path, after, before), 'stricter').toEqual([])
  })
})
