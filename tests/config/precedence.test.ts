import { describe, expect, it } from 'vitest'
import { flagsToPatch, RUN_PATHS } from '../../src/config/flags.ts'
import { loadConfig } from '../../src/config/load.ts'
import { valueAt } from '../../src/config/merge.ts'
import { PRESETS } from '../../src/core/presets/index.ts'
import { presets, workspace } from './workspace.ts'

interface Given {
  readonly json?: object
  readonly yaml?: string
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: Readonly<Record<string, string>>
}

async function load({ json, yaml, env = {}, flags = {} }: Given) {
  const files: Record<string, string> = {}
  if (json !== undefined) files['exitgate.config.json'] = JSON.stringify(json, null, 2)
  if (yaml !== undefined) files['exitgate.config.yaml'] = yaml
  return loadConfig({ dir: workspace(files), env, flags, presets })
}

const file = { preset: 'cub', cub: { threshold: 5 } }
const typed = { ...file, taskType: 'docs', taskTypes: { docs: { cub: { threshold: 6 } } } }

const rows: [string, Given, string, unknown, string][] = [
  ['nothing set', {}, 'cub.threshold', 2, 'default'],
  ['the preset', { flags: { preset: 'cub' } }, 'cub.threshold', 4, 'preset cub'],
  ['the file over the preset', { json: file }, 'cub.threshold', 5, 'exitgate.config.json:4'],
  ['the task type over the file', { json: typed }, 'cub.threshold', 6, 'exitgate.config.json:10 (task type docs)'],
  [
    'the environment over the task type',
    { json: typed, env: { EXITGATE_CUB_THRESHOLD: '7' } },
    'cub.threshold',
    7,
    'environment EXITGATE_CUB_THRESHOLD',
  ],
  [
    'the variable of the older tool over the task type',
    { json: typed, env: { CUB_EXIT_THRESHOLD: '8' } },
    'cub.threshold',
    8,
    'environment CUB_EXIT_THRESHOLD',
  ],
  [
    'our variable over the one of the older tool',
    { json: file, env: { CUB_EXIT_THRESHOLD: '8', EXITGATE_CUB_THRESHOLD: '7' } },
    'cub.threshold',
    7,
    'environment EXITGATE_CUB_THRESHOLD',
  ],
  [
    'the flag over the environment',
    { json: typed, env: { CUB_EXIT_THRESHOLD: '8' }, flags: { threshold: '9' } },
    'cub.threshold',
    9,
    'flag --threshold',
  ],
  [
    'the alias of the flag',
    { json: file, flags: { 'exit-threshold': '1' } },
    'cub.threshold',
    1,
    'flag --exit-threshold',
  ],
  [
    'the variable of the older tool only with its preset',
    { env: { CUB_EXIT_THRESHOLD: '8' } },
    'cub.threshold',
    2,
    'default',
  ],
  ['hours become minutes', { json: file, env: { CUB_HOURS: '1.5' } }, 'limits.minutes', 90, 'environment CUB_HOURS'],
  [
    'a list in a variable of the older tool',
    { json: file, env: { CUB_TOOLS: 'Read, Bash(git add *, git commit *)' } },
    'ralph.allowedTools',
    ['Read', 'Bash(git add *, git commit *)'],
    'environment CUB_TOOLS',
  ],
  [
    'an empty variable counts as unset',
    { env: { EXITGATE_LIMITS_ITERATIONS: ' ' } },
    'limits.iterations',
    50,
    'default',
  ],
  ['the preset in the file', { json: file }, 'preset', 'cub', 'exitgate.config.json:2'],
  [
    'the preset in the environment',
    { json: file, env: { EXITGATE_PRESET: 'default' } },
    'preset',
    'default',
    'environment EXITGATE_PRESET',
  ],
  [
    'the preset in a flag',
    { json: file, env: { EXITGATE_PRESET: 'cub' }, flags: { preset: 'default' } },
    'preset',
    'default',
    'flag --preset',
  ],
  [
    'the preset in a task type',
    { json: { taskTypes: { docs: { preset: 'cub' } } }, flags: { 'task-type': 'docs' } },
    'cub.threshold',
    4,
    'preset cub',
  ],
  [
    'a task type in a preset',
    { flags: { preset: 'cub', 'task-type': 'research' } },
    'limits.iterations',
    20,
    'preset cub (task type research)',
  ],
  [
    'a task type in the environment',
    { flags: { preset: 'cub' }, env: { EXITGATE_TASK_TYPE: 'research' } },
    'limits.iterations',
    20,
    'preset cub (task type research)',
  ],
  ['lists are replaced as a whole', { json: { required: ['build'] } }, 'required', ['build'], 'exitgate.config.json:2'],
  [
    'null removes a value',
    { json: { limits: { minutes: null } } },
    'limits.minutes',
    undefined,
    'exitgate.config.json:3',
  ],
  [
    'none removes a value',
    { flags: { 'max-iterations': 'none' } },
    'limits.iterations',
    undefined,
    'flag --max-iterations',
  ],
  [
    'none in the environment',
    { env: { EXITGATE_LIMITS_MINUTES: 'none' } },
    'limits.minutes',
    undefined,
    'environment EXITGATE_LIMITS_MINUTES',
  ],
  [
    'null in the selected task type',
    { json: { taskType: 'long', taskTypes: { long: { limits: { minutes: null } } } } },
    'limits.minutes',
    undefined,
    'exitgate.config.json:6 (task type long)',
  ],
  [
    'null in another task type',
    { json: { taskTypes: { long: { limits: { minutes: null } } } } },
    'limits.minutes',
    480,
    'default',
  ],
  ['a value without a default', {}, 'limits.usd', undefined, 'default'],
  [
    'a phase',
    { json: { breaker: { phases: { GREEN: { noProgress: 2 } } } } },
    'breaker.phases.GREEN.noProgress',
    2,
    'exitgate.config.json:5',
  ],
  [
    'YAML',
    { yaml: '# why\npreset: cub\n\ncub:\n  threshold: 5 # more\n' },
    'cub.threshold',
    5,
    'exitgate.config.yaml:5',
  ],
  [
    'YAML with CRLF',
    { yaml: 'preset: cub\r\ncub:\r\n  threshold: 5\r\n' },
    'cub.threshold',
    5,
    'exitgate.config.yaml:3',
  ],
  [
    'a list in YAML',
    { yaml: 'required:\n  - tests\n  - build\n' },
    'required',
    ['tests', 'build'],
    'exitgate.config.yaml:1',
  ],
  ['an empty YAML file', { yaml: '# nothing yet\n' }, 'cub.threshold', 2, 'default'],
  ['an empty section in YAML', { yaml: 'limits:\n  # iterations: 3\n' }, 'limits.iterations', 50, 'default'],
  [
    'an alias in YAML',
    { yaml: 'breaker:\n  phases:\n    RED: &r\n      noProgress: 4\n    GREEN: *r\n' },
    'breaker.phases.GREEN.noProgress',
    4,
    'exitgate.config.yaml:5',
  ],
]

describe('precedence', () => {
  it.each(rows)('%s', async (_, given, path, value, source) => {
    const { config, sources } = await load(given)
    expect([valueAt(config, path), sources.get(path)]).toEqual([value, source])
  })
})

const flagRows: [string, string, string, unknown][] = [
  ['max-iterations', '7', 'limits.iterations', 7],
  ['max-minutes', '0.5', 'limits.minutes', 0.5],
  ['max-cost', '12.5', 'limits.usd', 12.5],
  ['max-tokens', '1000000', 'limits.tokens', 1_000_000],
  ['test', 'npm test', 'commands.test', 'npm test'],
  ['build', '42', 'commands.build', '42'],
  ['task-type', 'docs', 'taskType', 'docs'],
  ['plan', 'PLAN.md', 'plan', 'PLAN.md'],
]

describe('flags', () => {
  it.each(flagRows)('--%s %s sets %s', async (flag, text, path, value) => {
    const { config, sources } = await load({ flags: { [flag]: text } })
    expect([valueAt(config, path), sources.get(path)]).toEqual([value, `flag --${flag}`])
  })
})

describe('flags of run', () => {
  const patchOf = (flag: string, text: string) => flagsToPatch({ [flag]: text }, PRESETS.default, RUN_PATHS)
  it('--calls-per-hour none removes the limit, as the help says', () => {
    expect(patchOf('calls-per-hour', 'none')).toEqual([
      { path: 'limits.callsPerHour', value: null, label: 'flag --calls-per-hour' },
    ])
  })
  it.each(['0x10', '1e3', ' 7', '7 ', '7x', ''])('%j stays a string, which the validator rejects', (text) => {
    expect(patchOf('calls-per-hour', text)).toMatchObject([{ value: text }])
    expect(patchOf('max-iterations', text)).toMatchObject([{ value: text }])
  })
  it('none is a plain name where there is no limit to remove', () => {
    expect(patchOf('agent', 'none')).toMatchObject([{ path: 'run.agent', value: 'none' }])
  })
})

describe('loadConfig', () => {
  it('reports the file it read', async () => {
    const dir = workspace({ 'exitgate.config.json': '{"$schema": "./node_modules/exitgate/config.schema.json"}' })
    const loaded = await loadConfig({ dir, env: {}, flags: {}, presets })
    expect(loaded.file).toBe('exitgate.config.json')
    expect(loaded.filePath).toBe(`${dir}/exitgate.config.json`)
    expect(loaded.config).not.toHaveProperty('$schema')
    expect(loaded.sources.has('$schema')).toBe(false)
  })

  it('reports no file without one', async () => {
    const loaded = await load({})
    expect('file' in loaded).toBe(false)
  })

  it('equal values have equal hashes, different values different ones', async () => {
    const [a, b, c] = await Promise.all([
      load({ json: { limits: { minutes: 7, iterations: 3 } } }),
      load({ yaml: 'limits:\n  iterations: 3\n  minutes: 7\n' }),
      load({ json: { limits: { minutes: 7, iterations: 4 } } }),
    ])
    expect(a.hash).toMatch(/^[0-9a-f]{16}$/)
    expect(b.hash).toBe(a.hash)
    expect(c.hash).not.toBe(a.hash)
  })

  it('never changes the defaults', async () => {
    await load({ json: { limits: { iterations: 1 }, breaker: { phases: { RED: { loops: 1 } } } } })
    const { config } = await load({})
    expect(config.limits.iterations).toBe(50)
    expect(config.breaker.phases).toEqual({})
  })
})

const warningRows: [string, Given, readonly string[]][] = [
  [
    'a misspelled variable',
    { env: { EXITGATE_CUB_TRESHOLD: '3' } },
    ['unknown environment variable EXITGATE_CUB_TRESHOLD. Did you mean EXITGATE_CUB_THRESHOLD?'],
  ],
  [
    'a variable of the program itself',
    { env: { EXITGATE_STATE_DIR: '/x', EXITGATE_PROMPT_FILE: '/y', EXITGATE_RUN: 'z' } },
    [],
  ],
  ['a variable of another program', { env: { EXITGATE_DASHBOARD_PORT: '3000' } }, []],
  [
    'a misspelled task type',
    { json: { taskTypes: { docs: {} } }, flags: { 'task-type': 'dosc' } },
    ['no overrides for the task type "dosc". Did you mean "docs"?'],
  ],
  [
    'an unknown task type',
    { json: { taskTypes: { docs: {} } }, flags: { 'task-type': 'feature' } },
    ['no overrides for the task type "feature". Known types: docs.'],
  ],
  ['a task type without any overrides', { flags: { 'task-type': 'feature' } }, []],
]

describe('warnings', () => {
  it.each(warningRows)('%s', async (_, given, warnings) => {
    expect((await load(given)).warnings).toEqual(warnings)
  })
})
