import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { valueAt } from '../../src/config/merge.ts'
import { pin } from '../../src/config/pinned.ts'
import { presets, workspace } from './workspace.ts'

interface Given {
  readonly json?: object
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: Readonly<Record<string, string>>
}

const load = ({ json = {}, env = {}, flags = {} }: Given) =>
  loadConfig({ dir: workspace({ 'exitgate.config.json': JSON.stringify(json) }), env, flags, presets })

const rows: [string, Given, Given, string, unknown, readonly string[], readonly string[]][] = [
  ['nothing changed', { json: { sameTask: 5 } }, { json: { sameTask: 5 } }, 'sameTask', 5, [], []],
  ['the file was edited', { json: { sameTask: 5 } }, { json: { sameTask: 1 } }, 'sameTask', 5, [], ['sameTask']],
  ['a key was added', {}, { json: { limits: { usd: 9 } } }, 'limits.usd', undefined, [], ['limits.usd']],
  ['a key was removed', { json: { plan: 'P.md' } }, {}, 'plan', 'P.md', [], ['plan']],
  ['a list was edited', {}, { json: { required: [] } }, 'required', ['tests'], [], ['required']],
  [
    'a flag was added',
    { json: { limits: { iterations: 5 } } },
    { json: { limits: { iterations: 9 } }, flags: { 'max-iterations': '7' } },
    'limits.iterations',
    7,
    ['limits.iterations'],
    [],
  ],
  ['a variable was added', {}, { env: { EXITGATE_SAME_TASK: '7' } }, 'sameTask', 7, ['sameTask'], []],
  [
    'a flag removes a limit',
    {},
    { flags: { 'max-minutes': 'none' } },
    'limits.minutes',
    undefined,
    ['limits.minutes'],
    [],
  ],
  ['a flag was removed', { flags: { plan: 'P.md' } }, {}, 'plan', 'P.md', [], ['plan']],
]

describe('a run keeps the configuration it started with', () => {
  it.each(rows)('%s', async (_, before, after, path, value, changed, ignored) => {
    const [atStart, now] = await Promise.all([load(before), load(after)])
    const untouched = structuredClone(atStart.config)
    const pinned = pin(atStart.config, now.config, now.sources)
    expect([valueAt(pinned.config, path), pinned.changed, pinned.ignored]).toEqual([value, changed, ignored])
    expect(atStart.config).toEqual(untouched)
  })
})
