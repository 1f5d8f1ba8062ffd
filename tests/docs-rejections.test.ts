import ts from 'typescript'
import { expect, it } from 'vitest'
import { CHECKS } from '../src/evidence/checks/index.ts'
import { textOf } from './docs/blocks.ts'
import { sources } from './source-tree.ts'

/** The names in the first column of a page's tables. */
const entriesOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )

/** The members of a union of string literals. */
function membersOf(file: string, name: string): readonly string[] {
  const source = sources('src').find(({ path }) => path === file)
  if (source === undefined) throw new Error(`${file} is gone`)
  const tree = ts.createSourceFile(file, source.text, ts.ScriptTarget.ES2023, true)
  const alias = tree.statements.find((each) => ts.isTypeAliasDeclaration(each) && each.name.text === name)
  if (alias === undefined || !ts.isTypeAliasDeclaration(alias) || !ts.isUnionTypeNode(alias.type))
    throw new Error(`${file} has no union ${name}`)
  return alias.type.types.map((type) =>
    ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? type.literal.text : type.getText(),
  )
}

it('docs/test-changes.md has an entry for every kind of finding', () => {
  const kinds = membersOf('src/evidence/tampering/finding.ts', 'TamperKind')
  expect(kinds.length).toBeGreaterThan(15)
  const entries = entriesOf('docs/test-changes.md')
  expect([...kinds, 'expectation-changed'].filter((kind) => !entries.includes(kind))).toEqual([])
})

/** Checks that answer under other names than their own. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  git: ['changed'],
  tests: ['tests', 'flakes'],
  commands: ['build', 'lint', 'typecheck', 'commands'],
}

it('docs/rejected-claims.md has an entry for every check', () => {
  const entries = entriesOf('docs/rejected-claims.md')
  const answers = CHECKS.flatMap(({ name }) => ANSWERS[name] ?? [name])
  expect(answers.filter((name) => !entries.includes(name))).toEqual([])
})

it('docs/rejected-claims.md and docs/errors.md name every way in which rejected claims end a run', () => {
  for (const ending of ['stuck/hollow-claims', 'aborted/unverifiable'])
    for (const page of ['docs/rejected-claims.md', 'docs/errors.md']) expect(textOf(page)).toContain(`\`${ending}\``)
})
