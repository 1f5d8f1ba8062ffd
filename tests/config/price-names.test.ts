import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/commands/config.ts'
import { BASE } from '../../src/config/defaults.ts'
import { loadConfig } from '../../src/config/load.ts'
import { keysOf, pathOf } from '../../src/config/paths.ts'
import { pin } from '../../src/config/pinned.ts'
import { configure } from '../../src/config/project-config.ts'
import { problemsOf } from '../../src/config/validate.ts'
import { ran } from './command.ts'
import { presets, workspace } from './workspace.ts'

/** Names as vendors and gateways write them. */
const NAMES = [
  'gpt-5.5',
  'gemini-2.5-pro',
  'anthropic/claude-opus-4.1',
  'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'qwen3-coder:30b',
  'openrouter/z-ai/glm-4.6:free',
  'claude-sonnet-4-5@20250929',
  'codex',
]
const price = { input: 1, output: 2 }
const prices = Object.fromEntries(NAMES.map((name) => [name, price]))

describe('prices by model', () => {
  const yaml = `run:\n  prices:\n${NAMES.map((name) => `    ${JSON.stringify(name)}: { input: 1, output: 2 }\n`).join('')}`
  const files: [name: string, text: string][] = [
    ['exitgate.config.json', JSON.stringify({ run: { prices } })],
    ['exitgate.config.yaml', yaml],
    ['package.json', JSON.stringify({ exitgate: { run: { prices } } })],
  ]
  it.each(files)('are read from %s under real model names', async (name, text) => {
    const dir = workspace({ [name]: text })
    const { config, sources } = await loadConfig({ dir, env: {}, flags: {}, presets })
    expect(config.run.prices).toEqual(prices)
    const line = name.endsWith('yaml') ? 3 : 1
    expect(sources.get('run.prices[gpt-5.5].input')).toBe(`${name}:${line}`)
  })

  it('are printed by exitgate config', async () => {
    const cwd = workspace({ 'exitgate.config.json': JSON.stringify({ run: { prices: { 'gpt-5.5': price } } }) })
    const { code, out } = await ran((args, io) => run(args, io, presets), ['run.prices'], { cwd })
    expect([code, out]).toEqual([
      0,
      'run.prices[gpt-5.5].input   1  exitgate.config.json:1\nrun.prices[gpt-5.5].output  2  exitgate.config.json:1\n',
    ])
  })

  it('stay as they were at the start of the run', () => {
    const start = configure({ run: { prices: { 'gpt-5.5': price } } })
    const edited = configure({ run: { prices: { 'gpt-5.5': { ...price, input: 9 } } } })
    const { config, ignored } = pin(start, edited, new Map())
    expect([config.run.prices['gpt-5.5'], ignored]).toEqual([price, ['run.prices[gpt-5.5].input']])
  })

  const refused: [about: string, prices: object, text: string][] = [
    [
      'a pattern',
      { 'gpt-*': price },
      'the name "gpt-*" in "run.prices" is not allowed. Use the name of a model, without quotes, brackets, * and ?.',
    ],
    [
      'a price below zero',
      { 'gpt-5.5': { input: 1, output: -2 } },
      '"run.prices[gpt-5.5].output" must be a number of at least 0, not -2.',
    ],
  ]
  it.each(refused)('%s is rejected', (_about, wrong, text) => {
    expect(problemsOf({ run: { prices: wrong } }).map((problem) => problem.text)).toEqual([text])
  })

  it('none are configured by default', () => expect(BASE.run.prices).toEqual({}))
})

it('a path gives back its keys', () => {
  const key = fc.string({ minLength: 1 }).filter((text) => !/[[\]]/.test(text))
  fc.assert(
    fc.property(fc.array(key, { minLength: 1 }), (keys) => {
      expect(keysOf(pathOf(keys))).toEqual(keys)
    }),
  )
})
