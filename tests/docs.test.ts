import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { read } from '../src/core/signals/read.ts'
import { transcriptOf } from '../src/library/decider.ts'
import { type Block, blocksOf, has, INTERNAL_PAGES, LONG_PAGES, nameOf, PAGES, textOf } from './docs/blocks.ts'
import { brokenLinks } from './docs/links.ts'
import { testPages } from './docs/pages.ts'
import { root } from './source-tree.ts'

const blocks = PAGES.flatMap(blocksOf)

/** What a block of each language can be, by an option in its info string. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  sh: ['run'],
  ts: ['run'],
  json: ['config', 'file'],
  yaml: ['config', 'workflow'],
  js: ['file'],
  md: ['file'],
  text: ['output', 'prompt', 'claim'],
}

function problemOf({ notRun, options, language }: Block): string | undefined {
  if (notRun !== undefined) return notRun.length > 10 ? undefined : 'it gives no reason'
  const kinds = options.map((option) => option.split('=')[0] ?? '').filter((kind) => KINDS[language]?.includes(kind))
  return kinds.length === 1 ? undefined : `it must be one of ${KINDS[language]?.join(', ') ?? 'another language'}`
}

describe('every code block', () => {
  it('says how it is tested', () => {
    expect(blocks.filter(problemOf).map((block) => `${nameOf(block)}: ${problemOf(block)}`)).toEqual([])
  })

  it('that shows a claim is one', () => {
    const claims = blocks.filter((block) => has(block, 'claim'))
    expect(claims.length).toBeGreaterThan(0)
    for (const { text } of claims) expect(read(transcriptOf({ output: `Done.\n\n${text}\n` })).claim).toBe(true)
  })

  it('is run, except for a few that give their reason', () => {
    const not = blocks.filter(({ notRun }) => notRun !== undefined)
    expect(not.length).toBeLessThanOrEqual(6)
    expect(blocks.length).toBeGreaterThan(80)
  })
})

const wordsOf = (page: string): number => textOf(page).split(/\s+/).filter(Boolean).length

it('every page has at most 900 words, and the README at most 120 lines', () => {
  expect(PAGES.filter((page) => wordsOf(page) > 900).map((page) => `${page}: ${wordsOf(page)} words`)).toEqual([])
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120)
})

it('every page can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const page of reached)
    for (const [, path = ''] of textOf(page).matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g)) {
      const target = posix.join(posix.dirname(page), path)
      if (PAGES.includes(target)) reached.add(target)
    }
  expect(PAGES.filter((page) => !reached.has(page))).toEqual([])
})

const DEVELOPER_PAGES = ['AGENTS.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md']
it.each([...INTERNAL_PAGES, ...DEVELOPER_PAGES])('%s has no broken links', (page) => {
  expect(brokenLinks(page)).toEqual([])
})

it.each(['AGENTS.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only files that exist', (page) => {
  const paths = [...textOf(page).matchAll(/`((?!exitgate\/)(?:[\w.-]+\/)+[\w.-]*)`/g)].map(([, path = '']) => path)
  const places = ['', 'src', 'src/core', 'src/hooks', 'tests']
  expect(paths.length).toBeGreaterThan(3)
  expect(paths.filter((path) => !places.some((place) => existsSync(join(root, place, path))))).toEqual([])
})

// The pages that run agents most often have their own test files, so that they run at the same time as these.
testPages(PAGES.filter((page) => !LONG_PAGES.flat().includes(page)))
