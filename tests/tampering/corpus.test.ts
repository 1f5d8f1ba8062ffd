import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCorpus } from '../../bench/tampering-corpus.mjs'
import { findTampering, type SourceView } from '../../src/evidence/tampering/index.ts'

interface Case {
  readonly id: string
  readonly tampered: boolean
  readonly before: SourceView
  readonly after: SourceView
}

const root = join(import.meta.dirname, '../golden/tampering')
const cases = ['open', 'held-back'].flatMap((part): readonly Case[] => readCorpus(join(root, part)))
const blocks = async ({ before, after }: Case) =>
  (await findTampering(before, after)).filter(({ severity }) => severity === 'block')

describe('the corpus', () => {
  it('has at least 200 tampered and 200 legitimate changes', () => {
    expect(cases.filter(({ tampered }) => tampered).length).toBeGreaterThanOrEqual(200)
    expect(cases.filter(({ tampered }) => !tampered).length).toBeGreaterThanOrEqual(200)
  })

  it.each(cases.map((each) => [each.id, each] as const))('%s', async (_id, each) => {
    const found = await blocks(each)
    expect(found.length > 0, found.map(({ file, line, detail }) => `${file}:${line} ${detail}`).join('\n')).toBe(
      each.tampered,
    )
    for (const { file, detail, kind } of found) expect([file, detail, kind].every((text) => text.length > 0)).toBe(true)
  })

  it('an unchanged tree has no findings', async () => {
    for (const { before } of cases) expect(await findTampering(before, before)).toEqual([])
  })
})
