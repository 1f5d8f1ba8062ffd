import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import type { ConfigPatch } from '../../src/core/config.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { gather, gatherBaseline } from '../../src/evidence/gather.ts'
import { relatedTests } from '../../src/evidence/runners/related.ts'
import type { Detected } from '../../src/evidence/types.ts'
import { patience } from '../timing.ts'
import { type Project, project } from './git-project.ts'
import { ONE_NODE } from './red-proof/proving.ts'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const LONG = { timeout: patience(120_000) }

/** A project with its baseline, and the test evidence of an iteration. */
async function begun(p: Project, patch: ConfigPatch) {
  const config = configure({ ...patch, evidence: { cleanRoom: 'off', canary: false, ...patch.evidence } })
  const options = {
    ...{ dir: p.dir, config, checks: policyFor(config).checks, stateDir: p.state, sandbox: undefined },
    ...{ taskTexts: [], ignore: [], at: 0 },
  }
  const { baselineId = '' } = await gatherBaseline({ ...options, claim: false })
  const look = async (claim: boolean) => {
    const { evidence } = await gather({ ...options, claim, quick: true, baselineId })
    return evidence.tests!
  }
  return look
}

const detected = (runner: string, command: string, more: Partial<Detected> = {}): Detected => ({
  ...{ kind: 'test', command, cwd: '', runner, why: '' },
  ...more,
})

describe('the tests that depend on the changes', () => {
  const rows: [
    name: string,
    detected: Detected,
    changed: string[],
    expected: readonly string[] | string | undefined,
  ][] = [
    ['vitest', detected('vitest', 'vitest run'), ['a.js'], ['--changed=abc', '--passWithNoTests']],
    [
      'vitest in a script',
      detected('vitest', 'npm test', { behind: 'vitest' }),
      ['a.js'],
      ['--changed=abc', '--passWithNoTests'],
    ],
    ['vitest with its own --changed', detected('vitest', 'vitest run --changed'), ['a.js'], undefined],
    ['vitest after its settings changed', detected('vitest', 'vitest run'), ['vitest.config.ts'], undefined],
    ['vitest in a line of shell', detected('vitest', 'vitest run | tee log'), ['a.js'], undefined],
    [
      'jest',
      detected('jest', 'jest'),
      ['a.js', 'gone.js', 'README.md'],
      ['--passWithNoTests', '--findRelatedTests', './a.js'],
    ],
    [
      'jest in a folder',
      detected('jest', 'jest', { cwd: 'lib' }),
      ['a.js'],
      ['--passWithNoTests', '--findRelatedTests', './../a.js'],
    ],
    ['jest after package.json changed', detected('jest', 'jest'), ['package.json', 'a.js'], undefined],
    ['pytest with testmon', detected('pytest', 'pytest'), ['a.py'], 'pytest --testmon'],
    ['pytest without testmon in its folder', detected('pytest', 'pytest', { cwd: 'lib' }), ['a.py'], undefined],
    ['node', detected('node', 'node --test'), ['a.js'], undefined],
  ]
  it.each(rows)('%s', async (_name, command, changed, expected) => {
    const { workspace } = project({ 'a.js': '', '.testmondata': '' }, { git: false })
    const found = await relatedTests(command, { workspace, changed, head: 'abc', limits: { deadlineMs: 1 } })
    expect(found?.only ?? found?.command).toEqual(expected)
  })

  it('go: packages that changed, and those that import them', LONG, async ({ skip }) => {
    skip(spawnSync('go', ['version']).status !== 0, 'go is not installed')
    const test = (name: string) => `package ${name}\nimport "testing"\nfunc Test${name}(t *testing.T) {}\n`
    const { workspace } = project({
      'go.mod': 'module example.com/m\n\ngo 1.19\n',
      'a/a.go': 'package a\nconst A = 1\n',
      'a/a_test.go': test('a'),
      'b/b.go': 'package b\nimport "example.com/m/a"\nconst B = a.A\n',
      'b/b_test.go': test('b'),
      'c/c.go': 'package c\n',
      'c/c_test.go': test('c'),
    })
    const limits = { deadlineMs: 60_000, env: { GOFLAGS: '-mod=mod', GOPROXY: 'off' } }
    const command = detected('go', 'go test ./...')
    const found = async (...changed: string[]) => (await relatedTests(command, { workspace, changed, limits }))?.command
    expect(await found('a/a.go')).toBe('go test example.com/m/a example.com/m/b')
    expect(await found('c/testdata/x.json')).toBe('go test example.com/m/c')
    expect(await found('go.mod')).toBeUndefined()
  })
})

describe('an iteration without a claim', () => {
  const head = "import { expect, it } from 'vitest'\n"
  const files = {
    '.gitignore': 'node_modules\n',
    'package.json': '{"type":"module"}\n',
    'src/a.js': 'export const a = 1\n',
    'src/b.js': 'export const b = 1\n',
    'tests/a.test.js': `${head}import { a } from '../src/a.js'\nit('a', () => expect(a).toBe(1))\n`,
    'tests/b.test.js': `${head}import { b } from '../src/b.js'\nit('b', () => expect(b).toBe(1))\n`,
  }

  it('runs the related tests of a slow suite, and never passes', LONG, async () => {
    const p = project(files)
    symlinkSync(packages, join(p.dir, 'node_modules'))
    const commands = { test: 'node_modules/.bin/vitest run --pool=threads --no-isolate --no-file-parallelism' }
    const look = await begun(p, { commands, evidence: { quickAfterMinutes: 0 } })
    p.write({ 'notes.txt': 'none' })
    expect(await look(false)).toMatchObject({
      ...{ answer: 'unknown', quick: true, counts: { total: 0 } },
      detail: 'Quick run: no test depends on the changes. All tests run when the agent says it is done.',
    })
    p.write({ 'src/b.js': 'export const b = 2\n' })
    expect(await look(false)).toMatchObject({
      ...{ answer: 'no', quick: true, counts: { total: 1, failed: 1 }, named: { failing: ['b'] } },
      detail: expect.stringMatching(/^Quick run: 1 of 1 test fails\. Failing: "b" \(did not fail before the run\)\./),
    })
    p.write({ 'src/b.js': 'export const b = 2 - 1\n' })
    p.commit()
    expect(await look(false)).toMatchObject({ answer: 'unknown', quick: true, counts: { total: 1, passed: 1 } })
    const claimed = await look(true)
    expect(claimed).toMatchObject({ answer: 'yes', counts: { total: 2, passed: 2, runs: 2 } })
    expect(claimed.quick).toBeUndefined()
  })

  const node = (name: string, value: number) =>
    `import test from 'node:test'\nimport assert from 'node:assert'\nimport { ${name} } from '../src/${name}.js'\ntest('${name}', () => assert.equal(${name}, ${value}))\n`
  const plain = { ...files, 'tests/a.test.js': node('a', 1), 'tests/b.test.js': node('b', 1) }
  const some = "printf 'TAP version 13\\n1..1\\nok 1 - a\\n'"
  const rows: [name: string, patch: ConfigPatch, claim: boolean, expected: object][] = [
    [
      'the quick command',
      { commands: { quick: some } },
      false,
      { answer: 'unknown', quick: true, counts: { total: 1 } },
    ],
    [
      'the quick command fails',
      { commands: { quick: "printf 'TAP version 13\\n1..1\\nnot ok 1 - a\\n'; exit 1" } },
      false,
      { answer: 'no', quick: true },
    ],
    [
      'the quick command breaks',
      { commands: { quick: 'exit 3' } },
      false,
      { answer: 'unknown', quick: true, detail: expect.stringContaining('exited with 3') },
    ],
    ['a claim ignores it', { commands: { quick: some } }, true, { answer: 'yes', counts: { total: 2 } }],
    [
      'a preset that needs no claim ignores it',
      { preset: 'gsd', commands: { quick: some } },
      false,
      { answer: 'yes', counts: { total: 2 } },
    ],
    ['a fast suite', { evidence: { quickAfterMinutes: 2 } }, false, { answer: 'yes', counts: { total: 2 } }],
    [
      'a runner that knows no related tests',
      { evidence: { quickAfterMinutes: 0 } },
      false,
      { answer: 'yes', counts: { total: 2 } },
    ],
  ]
  it.each(rows)('%s', LONG, async (_name, patch, claim, expected) => {
    const look = await begun(project(plain), { ...patch, commands: { test: ONE_NODE, ...patch.commands } })
    expect(await look(claim)).toMatchObject(expected)
  })

  const again: [name: string, work: Readonly<Record<string, string>>, expected: object][] = [
    [
      'what the change can reach runs again',
      { 'src/b.js': 'export const b = 2\n' },
      { answer: 'yes', counts: { total: 2, runs: 1, confirmed: 1 } },
    ],
    ['a test still fails', { 'notes.txt': '' }, { answer: 'no', counts: { runs: 1 } }],
    [
      'a helper changed, too: all of them',
      { 'src/b.js': 'export const b = 2\n', 'tests/helpers/n.js': 'export const n = 1\n' },
      { answer: 'yes', counts: { runs: 2 } },
    ],
  ]
  it.each(again)('a claim in a slow suite: %s', LONG, async (_name, work, expected) => {
    const p = project({ ...plain, 'tests/b.test.js': node('b', 2) })
    const look = await begun(p, { commands: { test: 'node --test' }, evidence: { confirmAllMinutes: 1e-9 } })
    p.write(work)
    expect(await look(true)).toMatchObject(expected)
  })
})
