import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCorpus } from '../../bench/tampering-corpus.mjs'
import { withGrammars } from '../../src/evidence/syntax/parse.ts'
import { changesBetween } from '../../src/evidence/tampering/changes.ts'
import { successorsIn } from '../../src/evidence/tampering/compare/successors.ts'
import { comparedTrees } from '../../src/evidence/tampering/compare/tests.ts'
import { findTampering, type SourceView } from '../../src/evidence/tampering/index.ts'

interface Case {
  readonly id: string
  readonly kinds: readonly string[]
  readonly tampered: boolean
  /** Reading it finds nothing, because a run decides: the original test fails, and this version checks less. */
  readonly weaker: boolean
  readonly before: SourceView
  readonly after: SourceView
}

const CHECKS_LESS = ['weaker', 'replaced']
const ENDED = ['gone', 'skipped']
const root = join(import.meta.dirname, '../golden/tampering')
const cases = ['open', 'held-back'].flatMap((part): readonly Case[] => readCorpus(join(root, part)))
const blocks = async ({ before, after }: Case) =>
  (await findTampering(before, after)).filter(({ severity }) => severity === 'block')

describe('the corpus', () => {
  it('has enough changes of each label', () => {
    expect(cases.filter(({ tampered }) => tampered).length).toBeGreaterThanOrEqual(190)
    expect(cases.filter(({ weaker }) => weaker).length).toBeGreaterThanOrEqual(120)
    expect(cases.filter(({ tampered, weaker }) => !tampered && !weaker).length).toBeGreaterThanOrEqual(250)
  })

  it.each(cases.map((each) => [each.id, each] as const))('%s', async (_id, each) => {
    const found = await blocks(each)
    expect(found.length > 0, found.map(({ file, line, detail }) => `${file}:${line} ${detail}`).join('\n')).toBe(
      each.tampered,
    )
    for (const { file, detail, kind } of found) expect([file, detail, kind].every((text) => text.length > 0)).toBe(true)
  })

  it.each(cases.filter(({ tampered }) => !tampered).map((each) => [each.id, each] as const))(
    'successors: %s',
    async (_id, { before, after, weaker, kinds }) => {
      const changes = changesBetween(before, after, {})
      const found = await withGrammars(() => {
        const successor = successorsIn(changes)
        return (comparedTrees(changes)?.before.tests ?? []).map(({ key, file }) =>
          successor({ name: key, state: 'passed' }, file.path),
        )
      })
      const less = found.filter(({ is }) => CHECKS_LESS.includes(is) || (weaker && ENDED.includes(is)))
      expect(less.length > 0, less.map(({ why }) => why).join('\n')).toBe(weaker || kinds.includes('less'))
    },
  )

  it('an unchanged tree has no findings', async () => {
    for (const { before } of cases) expect(await findTampering(before, before)).toEqual([])
  })
})
