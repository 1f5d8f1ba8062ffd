import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/commands/config.ts'
import { leaves } from '../../src/config/leaves.ts'
import { ran } from './command.ts'
import { presets, workspace } from './workspace.ts'

const withFakes: typeof run = (args, io) => run(args, io, presets)

const yaml = 'preset: cub\nlimits:\n  iterations: 9\nbreaker:\n  phases:\n    GREEN:\n      noProgress: 2\n'

describe('exitgate config', () => {
  it('prints aligned groups, also without a terminal, and only names the settings of other presets', async () => {
    const cwd = workspace({ 'exitgate.config.yaml': yaml })
    const { code, out, err } = await ran(withFakes, ['--max-cost', '3'], { cwd })
    expect([code, err]).toEqual([0, ''])
    expect(out).not.toContain('\t')
    const [head, top = '', ...groups] = out.split('\n\n')
    expect(head).toBe('Configuration file: exitgate.config.yaml')
    expect(top).toMatch(/(?:^|\n)preset +cub +exitgate\.config\.yaml:1\n/)
    expect(groups).toContain(
      [
        'limits.iterations    9    exitgate.config.yaml:3',
        'limits.minutes       480  default',
        'limits.usd           3    flag --max-cost',
        'limits.tokens        -    default',
        'limits.callsPerHour  -    default',
      ].join('\n'),
    )
    expect(groups.at(-1)).toBe('Settings of the other presets: exitgate config prp doyaken blackbox gsd ralph\n')
    const shown = out.split('\n').map((line) => line.split(' ')[0])
    const isOther = (path: string) => /^(?:prp|doyaken|blackbox|gsd|ralph)\./.test(path)
    expect([...leaves().keys()].filter((path) => !isOther(path) && !shown.includes(path))).toEqual([])
  })

  it('prints only the rows under a path, and dims the defaults in a terminal with colours', async () => {
    const cwd = workspace()
    const { out } = await ran(withFakes, ['sameTask'], { cwd, isTTY: true })
    expect(out).toBe('sameTask  3  \u001b[2mdefault\u001b[22m\n')
    const plain = await ran(withFakes, ['sameTask', '--no-color'], { cwd, isTTY: true })
    expect(plain.out).toBe('sameTask  3  default\n')
  })

  it('prints one JSON document', async () => {
    const cwd = workspace({ 'exitgate.config.yaml': yaml })
    const { out } = await ran(withFakes, ['--json', '--threshold', '1'], { cwd, env: { CUB_HOURS: '2' } })
    const printed = JSON.parse(out)
    expect(Object.keys(printed)).toEqual(['config', 'sources', 'file'])
    expect(Object.keys(printed.sources)).toEqual([
      ...leaves().keys(),
      'taskTypes.research.limits.iterations',
      'breaker.phases.GREEN.noProgress',
    ])
    expect(printed).toMatchSnapshot()
  })

  it('prints one section as JSON', async () => {
    const cwd = workspace({ 'exitgate.config.yaml': yaml })
    const { out } = await ran(withFakes, ['--json', 'breaker.phases', 'limits.usd'], { cwd })
    expect(JSON.parse(out)).toEqual({
      config: { 'breaker.phases.GREEN.noProgress': 2 },
      sources: { 'breaker.phases.GREEN.noProgress': 'exitgate.config.yaml:7', 'limits.usd': 'default' },
      file: 'exitgate.config.yaml',
    })
  })

  it('reads another folder, and a file by name', async () => {
    const cwd = workspace()
    mkdirSync(join(cwd, 'a'))
    writeFileSync(join(cwd, 'a', 'exitgate.config.json'), '{"sameTask": 7}')
    writeFileSync(join(cwd, 'other.json'), '{"sameTask": 8}')
    const there = await ran(withFakes, ['sameTask', '--dir', 'a'], { cwd })
    expect(there.out).toBe('sameTask  7  exitgate.config.json:1\n')
    const other = await ran(withFakes, ['sameTask', '--dir', 'a', '--config', 'other.json'], { cwd })
    expect(other.out).toBe('sameTask  8  ../other.json:1\n')
  })

  it('works with the built-in presets', async () => {
    const { out } = await ran(run, ['--preset', 'gsd', 'breaker.failures'], { cwd: workspace() })
    expect(out).toBe('breaker.failures  5  preset gsd\n')
  })

  it('warns about a misspelled variable', async () => {
    const { code, err } = await ran(withFakes, [], { cwd: workspace(), env: { EXITGATE_SAMETSAK: '1' } })
    expect([code, err]).toEqual([
      0,
      'warning: unknown environment variable EXITGATE_SAMETSAK. Did you mean EXITGATE_SAME_TASK?\n',
    ])
  })

  const wrong: [string, readonly string[], string][] = [
    ['an unknown path', ['cub.treshold'], 'There is no setting "cub.treshold". Did you mean "cub.threshold"?\n'],
    ['an unknown section', ['limit'], 'There is no setting "limit". Did you mean "limits"?\n'],
    ['nothing similar', ['zebra'], 'There is no setting "zebra".\n'],
    [
      'an unknown preset',
      ['--preset', 'cup'],
      'flag --preset: "preset" must be one of default, cub, not "cup". Did you mean "cub"?\n',
    ],
  ]
  it.each(wrong)('%s ends with 64', async (_, args, sentence) => {
    expect(await ran(withFakes, args, { cwd: workspace() })).toEqual({ code: 64, out: '', err: sentence })
  })

  it('an unknown flag ends with 64', async () => {
    const { code, err } = await ran(withFakes, ['--jsno'], { cwd: workspace() })
    expect(code).toBe(64)
    expect(err).toContain('Did you mean --json?')
  })
})
