import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { configure } from '../../src/config/project-config.ts'
import type { Config, ConfigPatch } from '../../src/core/config.ts'
import { PRESETS } from '../../src/core/presets/index.ts'
import type { Task } from '../../src/core/run.ts'
import { configForTask, taskTypeOf } from '../../src/loop/tasks.ts'
import { folder } from '../evidence/folders.ts'

const task = (type?: string): Task => ({ id: 't', title: 't', done: false, ...(type === undefined ? {} : { type }) })
const taskTypes: ConfigPatch['taskTypes'] = {
  docs: { sameTask: 5, required: [], breaker: { noProgress: 9 }, commands: { build: null } },
  bug: { evidence: { confirmRuns: 3, proof: 'required' } },
  greedy: { preset: 'ralph', limits: { iterations: 9_999 }, plan: 'OTHER.md', run: { checkpoint: true }, sameTask: 9 },
}
const base = configure({ taskTypes, commands: { build: 'make' }, plan: 'PLAN.md' })

const types: [name: string, config: Config, task: Task | undefined, type: string | undefined][] = [
  ['none', base, task(), undefined],
  ['no task', base, undefined, undefined],
  ["the task's own", base, task('docs'), 'docs'],
  ['in other case, with spaces', base, task(' Docs '), 'docs'],
  ['an undefined type', base, task('chore'), undefined],
  ['the name of a built-in property', base, task('constructor'), undefined],
  ['the choice of the user comes first', { ...base, taskType: 'bug' }, task('docs'), 'bug'],
]

describe('the type of a task', () => {
  it.each(types)('%s', (_name, config, of, type) => {
    expect(taskTypeOf(of, config)).toBe(type)
  })
})

const changes: [name: string, config: Config, type: string | undefined, ConfigPatch | undefined][] = [
  ['none', base, undefined, undefined],
  ['an undefined type', base, 'chore', undefined],
  [
    'thresholds',
    base,
    'docs',
    { sameTask: 5, required: [], breaker: { ...base.breaker, noProgress: 9 }, commands: {} },
  ],
  ['evidence', base, 'bug', { evidence: { ...base.evidence, confirmRuns: 3, proof: 'required' } }],
  ['settings of the run stay', base, 'greedy', { sameTask: 9 }],
  ['the choice of the user was already applied on load', { ...base, taskType: 'bug' }, 'docs', undefined],
]

describe('the configuration of a task', () => {
  it.each(changes)('%s', (_name, config, type, patch) => {
    const before = structuredClone(config)
    const found = configForTask(config, task(type))
    expect(found).toEqual({ ...config, ...patch })
    expect(config).toEqual(before)
    if (patch === undefined) expect(found).toBe(config)
  })

  it('equals a configuration loaded with --task-type, with flags and environment on top', async () => {
    const dir = folder({
      'exitgate.config.json': JSON.stringify({
        taskTypes: { docs: { sameTask: 5, hollowClaims: 7, required: ['build'], commands: { test: 'x' } } },
      }),
    })
    const flags = { test: 'npm test' }
    const env = { EXITGATE_HOLLOW_CLAIMS: '2' }
    const load = (more: object) => loadConfig({ dir, env, flags: { ...flags, ...more }, presets: PRESETS })
    const { config, sources } = await load({})
    const { taskType, ...chosen } = (await load({ 'task-type': 'docs' })).config
    expect(taskType).toBe('docs')
    const found = configForTask(config, task('docs'), sources)
    expect(found).toEqual(chosen)
    expect(found).toMatchObject({ sameTask: 5, hollowClaims: 2, commands: { test: 'npm test' }, required: ['build'] })
  })

  it('does not override a setting from the environment', async () => {
    const dir = folder({
      'exitgate.config.json': '{"taskTypes": {"docs": {"breaker": {"failures": 4}, "sameTask": 4}}}',
    })
    const { config, sources } = await loadConfig({ dir, env: {}, flags: {}, presets: PRESETS })
    const taken = new Map([...sources, ['breaker.failures', 'environment EXITGATE_BREAKER_FAILURES']])
    expect(configForTask(config, task('docs'), taken)).toEqual({ ...config, sameTask: 4 })
  })
})
