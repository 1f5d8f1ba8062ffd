import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import type { CollectedTests } from '../../src/evidence/checks/definition.ts'
import { collectTests, type TestsOptions } from '../../src/evidence/checks/tests.ts'
import { experimentsOn } from '../../src/evidence/experiments.ts'
import { runTestCommand } from '../../src/evidence/runners/run.ts'
import type { Detected } from '../../src/evidence/types.ts'
import { type Project, project } from './git-project.ts'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const command: Detected = {
  kind: 'test',
  command: 'node_modules/.bin/vitest run --pool=threads --no-isolate --no-file-parallelism',
  cwd: '',
  runner: 'vitest',
  why: 'said so',
}
const run: TestsOptions['run'] = (detected, options, workspace) => runTestCommand(workspace, detected, options)

const head = "import { describe, expect, it } from 'vitest'\n"
const table = (rows: string) =>
  `${head}import { twice } from '../src/twice'\ndescribe('twice', () => {\n  it.each([${rows}])('of %i is %i', (n, result) => {\n    expect(twice(n)).toBe(result)\n  })\n})\n`
const greeting = `${head}import { greet } from '../src/greet'\ndescribe('greet', () => {\n  it('says hello', () => {\n    expect(greet('you')).toBe('hello you')\n  })\n})\n`
const start: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules\n',
  'package.json': '{"type":"module"}\n',
  'src/twice.ts': 'export const twice = (n: number) => n + 2\n',
  'src/greet.ts': "export const greet = (name: string) => 'hello ' + name\n",
  'tests/twice.test.ts': table('[2, 4], [3, 6]'),
  'tests/greet.test.ts': greeting,
}
const parting = {
  'src/part.ts': "export const part = () => 'goodbye'\n",
  'tests/part.test.ts': `${head}import { part } from '../src/part'\nit('parts', () => {\n  expect(part()).toBe('goodbye')\n})\n`,
}

/** Before the work, every row has the same results. */
let before: Promise<CollectedTests> | undefined

const steps = Array.from({ length: 8 }, (_, at) => `it('step ${at}', () => expect(part() && done++).toBe(${at}))\n`)
const inSteps = {
  'src/part.ts': parting['src/part.ts'],
  'tests/steps.test.ts': `${head}import { part } from '../src/part'\nlet done = 0\n${steps.join('')}`,
}

type Row = [name: string, work: (p: Project) => void, answer: string, said: RegExp]
const rows: readonly Row[] = [
  [
    'the work is done, a row that failed before is accepted',
    (p) => p.write(parting),
    'yes',
    /Failing, but accepted: "twice > of 3 is 6"/,
  ],
  [
    'the failing row exchanged',
    (p) => p.write({ ...parting, 'tests/twice.test.ts': table('[2, 4], [1, 3]') }),
    'no',
    /Missing: "twice > of 3 is 6"/,
  ],
  [
    'passing tests moved into one file with the new one',
    (p) => {
      p.write({ ...parting, 'tests/words/all.test.ts': greeting.replace('../src', '../../src') })
      p.remove('tests/greet.test.ts')
    },
    'yes',
    /Failing, but accepted: "twice > of 3 is 6"/,
  ],
  [
    'new tests that pass only one after the other',
    (p) => p.write(inSteps),
    'unknown',
    /"step \d"( and \d more tests?)? passed only in the usual order \(fails with --sequence\.shuffle --sequence\.seed=\d+\)\./,
  ],
  [
    'a file that does not load any more',
    (p) => p.write({ ...parting, 'tests/greet.test.ts': `${greeting}import '../src/none'\n` }),
    'no',
    /could not be run|Missing: .*"greet > says hello"/,
  ],
]

describe('a vitest project', () => {
  it.each(rows)('%s', async (_name, work, answer, said) => {
    const p = project(start)
    symlinkSync(packages, join(p.dir, 'node_modules'))
    const commands = [command]
    const options: TestsOptions = {
      commands,
      run,
      acceptFailing: true,
      experiments: (own, isHeld, context) =>
        experimentsOn(own, { commands, run, isHeld, withoutChange: true, acceptFailing: true }, context),
    }
    const context = {
      workspace: p.workspace,
      claim: true,
      tree: 't',
      taskTexts: ['Write part().'],
      deadlineMs: 120_000,
    }
    before ??= collectTests(options, context)
    const first = await before
    expect(first.evidence[0]).toMatchObject({ answer: 'no', counts: { failed: 1, passed: 2 } })
    await takeBaseline(
      { workspace: p.workspace, commands: [command], evidence: {}, tests: first.run!, tree: 't', at: 1 },
      p.state,
    )
    work(p)
    const { evidence, proof } = await collectTests(options, { ...context, baseline: openBaseline(p.state)! })
    expect(evidence[0]?.detail).toMatch(said)
    expect(evidence[0]?.answer).toBe(answer)
    // Both tests that passed before pass in their original files, and the new one is red without the change.
    const proven = { originals: { cleared: 2, refuted: [] }, without: [{ judgement: 'proves' }], broken: { failed: 3 } }
    expect(proof ?? {}).toMatchObject(answer === 'yes' ? proven : {})
  })
})
