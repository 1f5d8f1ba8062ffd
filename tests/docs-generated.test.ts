import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PRESET_NAMES } from '../src/config/schema.ts'
import { textOf } from './docs/blocks.ts'
import { configurationKeys, endings, presetFacts, sentences } from './docs/generated.ts'
import { root } from './source-tree.ts'

const PARTS: readonly (readonly [page: string, mark: string, make: () => string])[] = [
  ['docs/configuration.md', 'keys', configurationKeys],
  ['docs/errors.md', 'endings', endings],
  ['docs/errors.md', 'sentences', sentences],
  ...PRESET_NAMES.map((name) => ['docs/presets.md', `preset ${name}`, () => presetFacts(name)] as const),
]

it.each(PARTS)('%s: the part "%s" says what the sources say; UPDATE_GOLDEN=1 writes it anew', (page, mark, make) => {
  const text = textOf(page)
  const head = `<!-- ${mark} -->\n`
  const from = text.indexOf(head)
  expect(from, `there is no ${head} in ${page}`).toBeGreaterThan(0)
  const start = from + head.length
  const end = text.indexOf('<!-- end -->', start)
  const made = `\n${make()}\n\n`
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(join(root, page), text.slice(0, start) + made + text.slice(end))
  else expect(text.slice(start, end)).toBe(made)
})
