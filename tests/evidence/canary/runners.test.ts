import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collectTests, type TestsOptions } from '../../../src/evidence/checks/tests.ts'
import { experimentsOn } from '../../../src/evidence/experiments.ts'
import { runTestCommand } from '../../../src/evidence/runners/run.ts'
import { openWorkspace } from '../../../src/evidence/workspace.ts'
import { root } from '../../source-tree.ts'
import { patience } from '../../timing.ts'
import { baselineOf } from '../baseline-of.ts'
import { folder } from '../folders.ts'
import { detected, SAMPLES, type Sample } from './samples.ts'

const modulesFor = (name: string): string | undefined =>
  ['node_modules', ...(process.env.EXITGATE_BARE ? [] : ['.tools/runners/node_modules'])]
    .map((place) => join(root, place))
    .find((place) => existsSync(join(place, name)))

/** Another Python than the one that runs may have pytest. */
const isHere = (program: string) =>
  spawnSync('sh', ['-c', program === 'pytest' ? 'python3 -m pytest --version' : `command -v ${program}`]).status === 0

const missing = ({ needs = [], package: name }: Sample): string | undefined =>
  needs.find((program) => !isHere(program)) ?? (name !== undefined && modulesFor(name) === undefined ? name : undefined)

/** The `tests` check on a claim, with the experiments that follow the first run. Only product code has changed. */
async function claimed(sample: Sample, source: Readonly<Record<string, string>>) {
  const start = { ...sample.files, '.gitignore': 'target\nnode_modules\n' }
  const dir = folder({ ...start, ...source })
  if (sample.package !== undefined) symlinkSync(modulesFor(sample.package)!, join(dir, 'node_modules'))
  const commands = [detected(sample)]
  const run: TestsOptions['run'] = (command, options, workspace) => runTestCommand(workspace, command, options)
  const { evidence } = await collectTests(
    {
      commands,
      run,
      experiments: (own, isHeld, context) =>
        experimentsOn(own, { commands, run, isHeld, withoutChange: false }, context),
    },
    {
      workspace: openWorkspace(dir),
      baseline: baselineOf(start),
      claim: true,
      tree: 't',
      taskTexts: [],
      deadlineMs: 120_000,
    },
  )
  return evidence[0]!
}

describe.each(SAMPLES.map((sample) => [sample.runner, sample] as const))('%s', (_name, sample) => {
  const lacks = missing(sample)
  const timeout = patience(120_000)
  it('honest: the broken tests fail', { timeout }, async ({ skip }) => {
    skip(lacks !== undefined, `${lacks} is not installed here`)
    const { answer, detail, counts } = await claimed(sample, sample.honest)
    expect(detail).toMatch(/that exitgate broke on purpose failed, as expected/)
    expect({ answer, broken: counts?.canary }).toEqual({ answer: 'yes', broken: expect.any(Number) })
  })

  for (const [attack, source] of Object.entries(sample.disarmed))
    it(`disarmed: ${attack}`, { timeout }, async ({ skip }) => {
      skip(lacks !== undefined, `${lacks} is not installed here`)
      const { answer, detail } = await claimed(sample, source)
      expect(`${answer}: ${detail}`).toMatch(/^unknown: The tests can't fail: exitgate broke/)
    })
})
