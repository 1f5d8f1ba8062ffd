import { describe, expect, it } from 'vitest'
import { type Block, blocksOf, LONG_PAGES, nameOf, PAGES } from './docs/blocks.ts'
import { testPages } from './docs/pages.ts'

const blocks = PAGES.flatMap(blocksOf)

/** What a block may be, by the words behind its language. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  sh: ['run'],
  ts: ['run'],
  json: ['config', 'file'],
  yaml: ['config', 'workflow'],
  js: ['file'],
  md: ['file'],
  text: ['output', 'prompt'],
}

/** What is wrong with how a block says that it is held to its word. */
function unheld({ notRun, words, language }: Block): string | undefined {
  if (notRun !== undefined) return notRun.length > 10 ? undefined : 'it gives no reason'
  const kinds = words.map((word) => word.split('=')[0] ?? '').filter((kind) => KINDS[language]?.includes(kind))
  return kinds.length === 1 ? undefined : `it must be one of ${KINDS[language]?.join(', ') ?? 'another language'}`
}

describe('every code block', () => {
  it('says how it is held to its word', () => {
    expect(blocks.filter(unheld).map((block) => `${nameOf(block)}: ${unheld(block)}`)).toEqual([])
  })

  it('is run, but for a few that name their reason', () => {
    const not = blocks.filter(({ notRun }) => notRun !== undefined)
    expect(not.length).toBeLessThanOrEqual(6)
    expect(blocks.length).toBeGreaterThan(80)
  })
})

// The pages with the most runs of an agent have test files of their own, so that they run at the same time as these.
testPages(PAGES.filter((page) => !LONG_PAGES.flat().includes(page)))
