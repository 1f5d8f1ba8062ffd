import type { TestCase, TestRun } from '../../test-output/types.ts'
import { isNamed } from './is-named.ts'
import { matchTests, namesAll, type Pair } from './match-tests.ts'
import { type Resolved, resolveRenames } from './renames.ts'
import { taskNames } from './task-names.ts'
import type { Attributed, Attribution, AttributionContext, Standing } from './types.ts'
import { folderOf, nameOf } from './words.ts'

const NOTHING: Resolved = { pairs: [], gone: [], added: [], replaced: [] }

/**
 * Says of each failing test whether it is new, known and the task's own, or known and about something else; and which
 * tests are gone. Only what is shown to be unrelated is excused. In doubt it blocks.
 */
export function attribute(then: TestRun | undefined, now: TestRun, context: AttributionContext): Attribution {
  const matched = then?.tests === undefined ? NOTHING : resolveRenames(matchTests(then, now), context)
  const complete = then !== undefined && namesAll(then) && namesAll(now)
  const flaky = new Set(context.flaky ?? [])
  const relation = relationIn(matched, context, complete)
  const pairOf = new Map(matched.pairs.map((pair) => [pair.is, pair]))
  const one = (test: TestCase, standing: Standing, why: string, blocks = true): Attributed => {
    const file = context.testFileOf(test.name, test)
    const accepted =
      blocks &&
      standing !== 'flaky' &&
      context.mode !== 'strict' &&
      context.accept.some((entry) => isNamed(entry, test, file))
    const place = file === undefined ? {} : { file }
    return accepted
      ? { name: test.name, ...place, standing, blocks: false, why: 'the configuration accepts it' }
      : { name: test.name, ...place, standing, blocks, why }
  }
  const tests: Attributed[] = []
  for (const test of now.tests ?? []) {
    const pair = pairOf.get(test)
    const known = pair?.was.state === 'failed'
    if (flaky.has(test.name)) tests.push(one(test, 'flaky', 'it gave different results on the same tree'))
    else if (test.state === 'failed' && known) {
      const why = relation(test, pair)
      if (why === undefined)
        tests.push(one(test, 'known-unrelated', 'it failed before and is unrelated to the work', false))
      else tests.push(one(test, 'known-related', `it failed before, and ${why}`))
    } else if (test.state === 'failed') {
      tests.push(one(test, 'new', then === undefined ? 'no earlier results are known' : 'it did not fail before'))
    } else if (known && test.state === 'passed')
      tests.push(one(test, 'fixed', 'it failed before and passes now', false))
    else if (pair !== undefined && test.state === 'skipped' && pair.was.state !== 'skipped') {
      tests.push(one(test, 'missing', `it ${pair.was.state} before and is skipped now`))
    }
  }
  for (const test of complete ? matched.gone : []) {
    const ran = test.state !== 'skipped'
    const why = ran ? `it ${test.state} before and is not reported any more` : 'it was skipped before and is gone'
    tests.push(one(test, 'missing', why, ran))
  }
  const named = (now.tests ?? []).filter(({ state }) => state === 'failed').length
  return {
    tests,
    blocking: tests.filter((test) => test.blocks),
    excused: tests.filter((test) => !test.blocks && test.standing !== 'fixed' && test.standing !== 'missing'),
    fixed: tests.filter((test) => test.standing === 'fixed'),
    missing: tests.filter((test) => test.standing === 'missing' && test.blocks),
    added: matched.added.map(({ name }) => name),
    renamed: matched.pairs.filter((pair) => pair.renamed).map((pair) => ({ from: pair.was.name, to: pair.is.name })),
    unnamed: Math.max(0, now.failed - named),
    fewer: then === undefined || complete ? 0 : Math.max(0, then.total - now.total),
  }
}

/** Why a known failure counts as the task's own; undefined when it is shown to be about something else. */
function relationIn(matched: Resolved, context: AttributionContext, complete: boolean) {
  const changed = new Set(context.changedFiles)
  const fixed = matched.pairs.filter((pair) => pair.was.state === 'failed' && pair.is.state === 'passed')
  const added = matched.added.filter(({ state }) => state !== 'skipped')
  const work = [
    ...fixed.map(({ is }) => ({ test: is, word: 'fixed' })),
    ...added.map((test) => ({ test, word: 'added' })),
  ].map(({ test, word }) => ({ name: test.name, word, file: context.testFileOf(test.name, test) }))
  const done = fixed.length > 0 || added.some(({ state }) => state === 'passed')
  const snapshots = context.changedFiles.filter((path) => /(?:^|\/)__snapshots__\/|-snapshots\//.test(path))

  return (test: TestCase, pair: Pair): string | undefined => {
    if (context.mode === 'strict') return 'the baseline is strict'
    if (!complete) return 'the reports do not name every test'
    if (pair.unclear) return 'several tests have this name'
    if (pair.renamed) return 'it was renamed in the run'
    const file = context.testFileOf(test.name, test)
    if (file === undefined) return 'its file is not known'
    if (changed.has(file)) return `its file ${file} was changed`
    if (snapshots.some((path) => belongsTo(path, file))) return `a snapshot of ${file} was changed`
    const reached = context.importsOf(file)
    if (reached === undefined) return `what ${file} imports cannot be told`
    const touched = reached.find((path) => changed.has(path))
    if (touched !== undefined) return `it reaches ${touched}, which was changed`
    const near = work.find((other) => other.file === file || other.file === undefined)
    if (near?.file !== undefined) return `"${near.name}" in the same file was ${near.word}`
    if (near !== undefined) return `"${near.name}" was ${near.word}, and its file is not known`
    const named = taskNames(context.taskTexts, test.name, file)
    if (named !== undefined) return named
    return done ? undefined : 'the run neither fixed nor added a test'
  }
}

/** `__snapshots__/a.test.ts.snap` lies beside `a.test.ts`, `a.spec.ts-snapshots/1.png` carries its name. */
function belongsTo(snapshot: string, file: string): boolean {
  const name = nameOf(file)
  const folder = folderOf(file)
  const beside = folder === '' ? '' : `${folder}/`
  return snapshot.startsWith(`${beside}__snapshots__/${name}`) || snapshot.startsWith(`${beside}${name}-snapshots/`)
}
