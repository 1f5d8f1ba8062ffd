import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { Evidence } from '../../src/core/types.ts'
import type { CheckInput } from '../../src/evidence/checks/definition.ts'
import { examples } from '../../src/evidence/checks/examples.ts'
import { heldOut } from '../../src/evidence/checks/held-out.ts'
import { restoredLines, withoutExamples } from '../../src/evidence/held-out/example-lines.ts'
import { heldOutFolder, holdOut, readHeldOut, restoreHeldOut } from '../../src/evidence/held-out/store.ts'
import type { Baseline } from '../../src/evidence/types.ts'
import { type Project, project } from './git-project.ts'
import { contextOf, ONE_NODE, runPlain, testCommand } from './red-proof/proving.ts'

const PLAN = '# Plan\n- [ ] Add\n  - example: `node add.mjs 4 5` -> `9`\n- [ ] More\n'
const HARD =
  'export const add = (a, b) => (a === 1 ? 3 : 0)\nif (process.argv[2]) console.log(add(+process.argv[2], +process.argv[3]))\n'
const REAL = HARD.replace('(a === 1 ? 3 : 0)', 'a + b')
const testOf = (name: string, call: string) =>
  `import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../add.mjs'\ntest('${name}', () => assert.equal(${call}))\n`
const FILES = {
  'add.mjs': HARD,
  'PLAN.md': PLAN,
  'test/add.test.mjs': testOf('adds', 'add(1, 2), 3'),
  'test/secret.test.mjs': testOf('adds more', 'add(20, 22), 42'),
}

/** Runs a check as on a claim. */
async function ask(
  one: Project,
  check: typeof heldOut,
  config: Partial<(typeof BASE)['evidence']> = {},
  plan?: string,
  baseline?: Baseline,
) {
  const context = contextOf(one.workspace, baseline && { baseline })
  const command = testCommand(ONE_NODE)
  const input = {
    config: { ...BASE, ...(plan !== undefined && { plan }), evidence: { ...BASE.evidence, ...config } },
    context,
    stateDir: one.state,
    testCommands: [command],
    tests: async () => ({ evidence: [], ...(await runPlain(one.workspace, command, { deadlineMs: 60_000 })) }),
  } as unknown as CheckInput
  const found: Evidence[] = []
  for (const each of check.checksFor(input)) found.push(...(await each.collect(context)))
  return found[0]
}

describe('held-out tests', () => {
  it.each([
    ['fail for code that only knows the visible ones', HARD, 'no', '1 of 1 held-out test fails.'],
    ['pass for honest code', REAL, 'yes', '1 held-out test passes.'],
  ])('%s', async (_, source, answer, detail) => {
    const one = project({ ...FILES, 'add.mjs': source })
    holdOut(one.workspace.dir, one.state, ['test/secret.test.mjs'])
    expect(existsSync(join(one.workspace.dir, 'test/secret.test.mjs'))).toBe(false)
    expect(await ask(one, heldOut)).toMatchObject({ answer, detail })
    // Only the user sees names and values.
    expect(readFileSync(join(heldOutFolder(one.state), 'tests.txt'), 'utf8')).toContain('adds more')
  })

  it('count as unknown if they never run, or were removed', async () => {
    const one = project({ ...FILES, 'test/secret.test.mjs': "import test from 'node:test'\n" })
    holdOut(one.workspace.dir, one.state, ['test/secret.test.mjs'])
    expect(await ask(one, heldOut)).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('not found') })
    rmSync(heldOutFolder(one.state), { recursive: true })
    expect(await ask(one, heldOut)).toBeUndefined()
    const baseline = { evidence: { 'held-out': {} } } as unknown as Baseline
    const gone = await ask(one, heldOut, {}, undefined, baseline)
    expect(gone).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('are gone') })
  })
})

describe('a damaged list of held-out files', () => {
  it.each([
    ['held-out', heldOut],
    ['examples', examples],
  ])('is unknown for %s, and stays as it is', async (_, check) => {
    const one = project(FILES)
    holdOut(one.workspace.dir, one.state, ['test/secret.test.mjs'])
    const list = join(heldOutFolder(one.state), 'files.json')
    writeFileSync(list, '{"version":1,')
    const detail = `The list of held-out files in ${list} is damaged. Restore it from a backup, or move it away.`
    expect(await ask(one, check)).toMatchObject({ answer: 'unknown', detail })
    expect(() => holdOut(one.workspace.dir, one.state, ['PLAN.md'])).toThrow(detail)
    expect(one.workspace.read('PLAN.md')).toBe(PLAN)
    expect(readFileSync(list, 'utf8')).toBe('{"version":1,')
  })
})

describe('examples', () => {
  const FILE = JSON.stringify([
    { command: 'node add.mjs 1 2', output: '3' },
    { command: 'node add.mjs 4 5', output: '9\n' },
  ])
  it.each<[string, string, boolean, string, string]>([
    ['visible', HARD, false, 'no', '1 of 2 examples fails. "node add.mjs 4 5" prints "0", expected "9\n".'],
    ['held out', HARD, true, 'no', '1 of 2 held-out examples fails.'],
    ['visible', REAL, false, 'yes', '2 examples pass.'],
    ['held out', REAL, true, 'yes', '2 held-out examples pass.'],
  ])('in a file, %s', async (_, source, isHeld, answer, detail) => {
    const one = project({ ...FILES, 'add.mjs': source, 'examples.json': FILE })
    if (isHeld) holdOut(one.workspace.dir, one.state, ['examples.json'])
    expect(await ask(one, examples, { examples: 'examples.json' })).toMatchObject({ answer, detail })
  })

  it.each([
    ['missing', undefined, /There is no file examples\.json/],
    ['broken', '[{', /must be a JSON array/],
    ['wrong', '[{"run": 1}]', /must be a JSON array/],
  ])('a %s file is unknown', async (_, text, detail) => {
    const one = project({ ...FILES, ...(text !== undefined && { 'examples.json': text }) })
    const found = await ask(one, examples, { examples: 'examples.json' })
    expect(found).toMatchObject({ answer: 'unknown', detail: expect.stringMatching(detail) })
  })

  it.each([
    ['visible', false, '1 of 1 example fails. "node add.mjs 4 5" prints "0", expected "9".'],
    ['held out', true, '1 of 1 held-out example fails.'],
  ])('in a plan, %s', async (_, isHeld, detail) => {
    const one = project(FILES)
    if (isHeld) holdOut(one.workspace.dir, one.state, ['PLAN.md'])
    expect(one.workspace.read('PLAN.md')).toBe(isHeld ? '# Plan\n- [ ] Add\n- [ ] More\n' : PLAN)
    expect(await ask(one, examples, {}, 'PLAN.md')).toMatchObject({ answer: 'no', detail })
  })
})

describe('what was held out comes back', () => {
  it.each([
    ['unchanged', '# Plan\n- [ ] Add\n- [ ] More\n', PLAN],
    ['ticked', '# Plan\n- [x] Add\n- [x] More\n', PLAN.replaceAll('[ ]', '[x]')],
    ['rewritten', '# Plan\n- [x] All\n', '# Plan\n- [x] All\n\n  - example: `node add.mjs 4 5` -> `9`'],
  ])('lines of a plan that is %s', (_, now, expected) => {
    expect(restoredLines(now, withoutExamples('PLAN.md', PLAN).lines)).toBe(expected)
  })

  it('files, unless another one is in their place', () => {
    const one = project(FILES)
    const { dir } = one.workspace
    holdOut(dir, one.state, ['test/secret.test.mjs', 'PLAN.md'])
    one.write({ 'test/secret.test.mjs': '// the agent was here\n' })
    expect(restoreHeldOut(dir, one.state)).toMatchObject({ blocked: ['test/secret.test.mjs'] })
    expect(one.workspace.read('PLAN.md')).toBe(PLAN)
    expect(readHeldOut(one.state)).toHaveLength(1)
    one.remove('test/secret.test.mjs')
    expect(restoreHeldOut(dir, one.state)).toMatchObject({ blocked: [] })
    expect(one.workspace.read('test/secret.test.mjs')).toBe(FILES['test/secret.test.mjs'])
    expect(existsSync(heldOutFolder(one.state))).toBe(false)
  })
})
