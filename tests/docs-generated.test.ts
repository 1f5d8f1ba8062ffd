import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PRESET_NAMES } from '../src/config/schema.ts'
import { KEYS } from '../src/reports/live/help.ts'
import { agentTable, withoutStopHook } from './docs/agent-table.ts'
import { textOf } from './docs/blocks.ts'
import {
  endings,
  limitsOfTests,
  messages,
  presetFacts,
  sections,
  settings,
  waysWithoutSandbox,
} from './docs/generated.ts'
import { root } from './source-tree.ts'

/** The sections of the configuration, by page. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  'docs/settings.md': ['general', 'limits', 'commands', 'learning'],
  'docs/settings-run.md': ['run'],
  'docs/settings-breaker.md': ['breaker'],
  'docs/settings-evidence.md': ['evidence', 'baseline', 'sandbox'],
  'docs/settings-presets.md': ['cub', 'prp', 'doyaken', 'blackbox', 'gsd', 'ralph'],
}

const keysOfView = (): string =>
  ['| key | what it does |', '|---|---|', ...KEYS.map(([key, what]) => `| \`${key}\` | ${what} |`)].join('\n')

const PARTS: readonly (readonly [page: string, mark: string, make: () => string])[] = [
  ...Object.entries(SETTINGS).map(([page, names]) => [page, 'keys', () => settings(names)] as const),
  ['docs/what-it-does-not-catch.md', 'ways', waysWithoutSandbox],
  ['docs/what-it-does-not-catch.md', 'limits', limitsOfTests],
  ['docs/agents.md', 'agents', agentTable],
  ['docs/agents.md', 'without stop hook', withoutStopHook],
  ['docs/terminal.md', 'keys', keysOfView],
  ['docs/errors.md', 'endings', endings],
  ['docs/internal/messages.md', 'messages', messages],
  ...PRESET_NAMES.map((name) => ['docs/presets.md', `preset ${name}`, () => presetFacts(name)] as const),
]

it('every section of the configuration has its page', () => {
  expect(Object.values(SETTINGS).flat().sort()).toEqual([...sections().keys()].sort())
})

it.each(PARTS)('%s: the part "%s" matches the sources (UPDATE_GOLDEN=1 updates it)', (page, mark, make) => {
  const text = textOf(page)
  const head = `<!-- ${mark} -->\n`
  const from = text.indexOf(head)
  expect(from, `${page} has no ${head}`).toBeGreaterThan(0)
  const start = from + head.length
  const end = text.indexOf('<!-- end -->', start)
  const made = `\n${make()}\n\n`
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(join(root, page), text.slice(0, start) + made + text.slice(end))
  else expect(text.slice(start, end)).toBe(made)
})
