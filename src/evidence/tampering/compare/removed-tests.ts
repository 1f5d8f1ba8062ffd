import { count } from '../../../../packages/core/src/count.ts'
import { isTestFile, isTestSupport } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import { findAssertions } from '../assertions/find.ts'
import type { Change, Changes } from '../changes.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { readUnit } from '../source/unit.ts'
import { fullName } from '../tests/model.ts'
import { readTestFile } from '../tests/read.ts'
import { declaredModules, readRust } from '../tests/rust.ts'
import { type ComparedTest, literalsIn, type TestsOfTree } from './compared-test.ts'

/** Tests that no longer exist. Those of a deleted file give one finding. */
export function removedTestFindings(
  changes: Changes,
  removed: readonly ComparedTest[],
  after?: TestsOfTree,
): TamperFinding[] {
  const lost = removed.filter((old) => !wasSkipped(old) && !hasNoCode(old))
  const findings: TamperFinding[] = []
  for (const change of changes.tests) {
    const own = lost.filter(({ file }) => file.path === change.path)
    const left = change.after !== undefined && isTestFile(change.path, change.after)
    if (left)
      findings.push(...own.map((old) => removedTest(old, isIncomplete(change, after) ? change.after : undefined)))
    else if (change.before !== undefined && isTestFile(change.path, change.before))
      findings.push(...deletedFile(changes, change, own))
  }
  return findings
}

/** Removing a skipped test loses nothing. */
const wasSkipped = ({ test }: ComparedTest) =>
  test.markers.some(({ kind, condition }) => kind === 'skip' && condition === undefined)

/** It only looked like a test: it has no code. */
const hasNoCode = ({ test, assertions, text }: ComparedTest) =>
  test.body === undefined || (assertions.length === 0 && (text === '' || /^suite \. Run \(/.test(text)))

/** `lines`: the text of a file that can't be parsed completely. A test whose name is still in it only causes a warning. */
function removedTest(old: ComparedTest, lines?: string): TamperFinding {
  const reason =
    lines?.includes(old.test.name) === true ? 'its name is still in the file, which is incomplete' : undefined
  return {
    kind: 'test-removed',
    severity: reason === undefined ? 'block' : 'warn',
    file: old.file.path,
    line: old.test.line,
    before: short(old.key),
    test: fullName(old.test),
    detail: `Test "${old.test.name}" was removed${reason === undefined ? ' and no other test replaces it. Restore it' : `; ${reason}`}.`,
  }
}

const isIncomplete = ({ path }: Change, after: TestsOfTree | undefined) => after?.files.get(path)?.broken === true

function deletedFile(changes: Changes, change: Change, own: readonly ComparedTest[]): TamperFinding[] {
  // If the file had tests, they decide, not the file.
  if (own.length === 0 && (!assertsWithoutTests(change) || isMoved(changes, change))) return []
  const what = change.after === undefined ? 'This test file was deleted' : 'This file no longer contains tests'
  const lost = own.length > 0 ? `, and ${count(own.length, 'test')} with it` : ''
  return [
    {
      kind: 'test-file-deleted',
      severity: 'block',
      file: change.path,
      ...(own[0] && { line: own[0].test.line }),
      ...(own.length > 0 && { before: short(own.map(({ test }) => test.name).join(', ')) }),
      detail: `${what}${lost}. Restore it.`,
      tests: own.map(({ test }) => fullName(test)),
    },
  ]
}

/** A file that asserts without a test runner, or is in a language without a reader. */
function assertsWithoutTests({ path, before }: Change): boolean {
  const file = readTestFile(path, before!)
  if (!file) return true
  return (
    file.tests.length === 0 &&
    findAssertions(file.unit, [0, file.unit.tokens.length]).some(({ matcher }) => matcher !== 'guard')
  )
}

/** A new file contains most lines of this one. */
function isMoved(changes: Changes, change: Change): boolean {
  const lines = significant(change.before)
  return changes.all.some((other) => {
    if (other.before !== undefined || other.after === undefined) return false
    const now = new Set(significant(other.after))
    return lines.length > 0 && lines.filter((line) => now.has(line)).length / lines.length >= 0.5
  })
}

const significant = (text = '') =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > 3)

/** The test still exists, but its body is empty. */
export function emptiedFinding(old: ComparedTest, now: ComparedTest): TamperFinding | undefined {
  if (isEmptyTest(old) || !isEmptyTest(now) || now.test.markers.some(({ kind }) => kind === 'skip')) return undefined
  return {
    kind: 'test-emptied',
    severity: 'block',
    file: now.file.path,
    line: now.test.line,
    before: short(old.text),
    after: short(now.text),
    test: fullName(now.test),
    detail: `Test "${now.test.name}" is empty now, so it always passes. Restore its body.`,
  }
}

const NOTHING =
  /^(?:pass|\.\.\.|;|return|undefined|null|None|nil|void|true|True|done|\(|\)|Promise|\.|resolve|t|end|pass|Ok|plan|0)$/

/** A body that does nothing: only `pass` and the like. */
function isEmptyTest({ test, file }: ComparedTest): boolean {
  if (!test.body) return true
  for (let i = test.body[0]; i < test.body[1]; i++) {
    const token = file.unit.tokens[i]!
    // A lone string is a comment in Python.
    if (token.kind === 'string' && file.language === 'python' && token.first) continue
    if (!NOTHING.test(token.text)) return false
  }
  return true
}

/** Rows that were removed from a test's table and not replaced. */
export function rowFindings(old: ComparedTest, now: ComparedTest, changes: Changes): TamperFinding[] {
  const [was, is] = [[...new Set(old.test.rows)], [...new Set(now.test.rows)]]
  if (was.length === 0 || is.length >= was.length) return []
  const left = [...is]
  const lost = was.filter((row) => {
    const at = left.indexOf(row)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  // Rewritten rows replace removed ones.
  const missing = lost.length - left.length
  if (missing <= 0 || is.length === 0) return []
  // Rows that are spread or computed cannot be counted.
  if (
    is.some(
      (row) => /^(?:\.\.\.|\*|yield from)/.test(row) || (/ \( /.test(row) && !was.some((other) => / \( /.test(other))),
    )
  )
    return []
  // `_ =>` is the last branch of a switch.
  const elsewhere = lost.filter((row) => /^_ => /.test(row) || isInOtherFile(row, now.file.path, changes)).length
  if (missing <= elsewhere) return []
  return [
    {
      kind: 'test-removed',
      severity: 'block',
      file: now.file.path,
      line: now.test.line,
      before: short(lost.join(' / ')),
      test: fullName(now.test),
      detail: `Test "${now.test.name}" lost ${missing} of its ${count(was.length, 'table row')}. Restore them.`,
    },
  ]
}

/** Another changed test file now has all values of a row, and did not have them before. */
function isInOtherFile(row: string, path: string, changes: Changes): boolean {
  const values = literalsIn(row)
  if (values.length < 2 || values.every((value) => /^[\w.-]{1,2}$/.test(value))) return false
  return changes.all.some(
    (other) =>
      other.path !== path &&
      other.after !== undefined &&
      isTestSupport(other.path, other.after) &&
      values.every((value) => other.after!.includes(value)) &&
      !values.every((value) => other.before?.includes(value) === true),
  )
}

/** Rust test files that still exist but are no longer declared as a module, so they are not compiled. */
export function undeclaredModuleFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap(({ path, before, after, language }): TamperFinding[] => {
    if (language !== 'rust' || before === undefined || after === undefined) return []
    const now = new Set(declaredModules(readUnit(after, 'rust')).map(({ name }) => name))
    return declaredModules(readUnit(before, 'rust')).flatMap(({ name, line }): TamperFinding[] => {
      if (now.has(name)) return []
      const file = moduleFiles(path, name).find((candidate) => changes.after.paths.includes(candidate))
      const text = file === undefined ? undefined : changes.after.read(file)
      const tests = text === undefined ? 0 : readRust(readUnit(text, 'rust')).length
      return tests === 0
        ? []
        : [
            {
              kind: 'test-removed',
              severity: 'block',
              file: path,
              line,
              before: `mod ${name};`,
              detail: `${count(tests, 'test')} in ${file} ${tests === 1 ? 'is' : 'are'} no longer compiled. Restore this line.`,
            },
          ]
    })
  })
}

/** Where the compiler looks for `mod name;`. */
function moduleFiles(path: string, name: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const own = path.slice(folder.length).replace(/\.rs$/, '')
  const inner = own === 'lib' || own === 'main' || own === 'mod' ? folder : `${folder}${own}/`
  return [`${inner}${name}.rs`, `${inner}${name}/mod.rs`]
}
