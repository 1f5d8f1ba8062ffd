import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CanaryOptions, runCanary } from '../../../src/evidence/canary/index.ts'
import { runTestCommand } from '../../../src/evidence/runners/run.ts'
import type { Detected } from '../../../src/evidence/types.ts'
import { openWorkspace } from '../../../src/evidence/workspace.ts'
import { noPython } from '../../no-python.ts'
import { patience } from '../../timing.ts'
import { baselineOf } from '../baseline-of.ts'
import { folder } from '../folders.ts'

type Files = Readonly<Record<string, string>>

const hasGo = spawnSync('go', ['version']).status === 0
const NODE = { command: 'node --test', runner: 'node' }

/** Runs the tests once, and then the canary. All files count as new. */
async function canaryOf(files: Files, command: Partial<Detected> = NODE, more: Partial<CanaryOptions> = {}) {
  const dir = folder(files)
  const workspace = openWorkspace(dir)
  const detected = { kind: 'test' as const, command: '', cwd: '', why: 'a sample', ...command }
  const { run: now } = await runTestCommand(workspace, detected, { deadlineMs: 60_000 })
  expect(now?.ok).toBe(true)
  const context = { workspace, baseline: baselineOf({}), claim: true, tree: 't', taskTexts: [], deadlineMs: 60_000 }
  const commands = [detected]
  const run: CanaryOptions['run'] = (each, options, place) => runTestCommand(place, each, options)
  return { dir, ...(await runCanary({ commands, run, now: now!, ms: 100, ...more }, context)) }
}

const HEAD = "import assert from 'node:assert/strict'\nimport { describe, it, test } from 'node:test'\n"

/** Honest tests of unusual form. Each is new, so each that is broken must fail. */
const ODD = `${HEAD}import { createServer } from 'node:http'

const twice = (n) => n * 2
test('leaves early', () => {
  if (twice(1) === 2) return
  assert.fail()
})
test('waits for a callback', (t, done) => {
  setTimeout(() => {
    assert.equal(twice(2), 4)
    done()
  })
})
test('opens a server', async () => {
  const server = createServer().listen(0)
  await new Promise((resolve) => server.once('listening', resolve))
  assert.equal(twice(2), 4)
  server.close()
})
test('closes it later', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  assert.equal(twice(2), 4)
})
test('catches its own error', () => {
  try {
    assert.equal(twice(2), 4)
  } catch {
    assert.fail()
  }
})
test('checks that something throws', () => {
  assert.throws(() => JSON.parse('{'))
})
test('has parts', async (t) => {
  await t.test('one', () => assert.equal(twice(1), 2))
  await t.test('two', () => {
    assert.deepEqual([twice(1), { a: twice(2) }], [2, { a: 4 }])
  })
})
for (const n of [1, 2]) test(\`twice \${n}\`, () => assert.equal(twice(n), n + n))
describe('a group', () => {
  it('compares text', () => assert.equal(String(twice(2)), '4'))
  it('compares a truth value', () => {
    assert.equal(twice(2) > 3, true)
  })
  it('returns a promise', () => Promise.resolve(twice(2)).then((n) => assert.equal(n, 4)))
  it('compares bounds', () => {
    assert.ok(twice(2) > 3)
  })
})
`

describe.runIf(hasGo)('a disarmed project', () => {
  it('whose command hides the runner and the names is found', { timeout: patience(60_000) }, async () => {
    const files = {
      'go.mod': 'module sums\n\ngo 1.19\n',
      'add.go':
        'package sums\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc init() {\n\tfmt.Println("PASS")\n\tos.Exit(0)\n}\n',
      'add_test.go': 'package sums\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {\n\tt.Log("adds")\n}\n',
      'run.sh': 'go test ./...\n',
    }
    expect((await canaryOf(files, { command: 'sh run.sh' })).detail).toMatch(
      /^The tests can't fail: exitgate broke "TestAdds" .* Probable cause: add\.go:10 \(ends the process\)\. Remove/,
    )
  })
})

describe('an honest project', () => {
  it('with unusual tests is not refused', { timeout: patience(60_000) }, async () => {
    const { state, detail, failed } = await canaryOf({ 'odd.test.mjs': ODD })
    expect(detail).toBe(`${failed} tests that exitgate broke on purpose failed, as expected.`)
    expect(state).toBe('armed')
  })

  const test = (name: string) => `${HEAD}test('${name}', () => assert.equal(1 + 1, 2))\n`
  const files = { 'a.test.mjs': test('a'), 'b.test.mjs': test('b'), 'c.test.mjs': test('c') }
  it('keeps its files', { timeout: patience(60_000) }, async () => {
    const { dir, state } = await canaryOf(files)
    expect(state).toBe('armed')
    expect(readFileSync(join(dir, 'a.test.mjs'), 'utf8')).toBe(files['a.test.mjs'])
  })

  it('with a slow suite runs only a few files', { timeout: patience(60_000) }, async () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`t${i}.test.mjs`, test(`t${i}`)]))
    const ran: number[] = []
    const { state, failed } = await canaryOf(many, NODE, {
      ms: 60_000,
      run: async (each, options, place) => {
        const result = await runTestCommand(place, each, options)
        ran.push(result.run?.total ?? 0)
        return result
      },
    })
    expect({ state, failed, ran }).toEqual({ state: 'armed', failed: 5, ran: [5] })
  })

  const rows: [name: string, files: Files, command: Partial<Detected>, detail: RegExp][] = [
    [
      'whose runner is its own gets no canary',
      { 'check.mjs': "console.log('1..1\\nok 1 a')\n" },
      { command: 'node check.mjs' },
      /^No canary: exitgate does not know which runner "node check\.mjs" starts\.$/,
    ],
    [
      'that only prints counts, with an unknown runner',
      { 'a.test.mjs': test('a'), 'check.mjs': "console.log('3 passed in 0.10s')\n" },
      { command: 'node check.mjs' },
      /^No canary: the run with broken tests shows no result \(the report does not name tests\)\.$/,
    ],
    [
      'that stops at the first failure',
      {
        'test_b.py':
          'import unittest\n\n\nclass B(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1 + 1, 2)\n\n    def test_b(self):\n        self.assertEqual(1 + 2, 3)\n',
      },
      { command: 'python3 -m unittest -f -v test_b', runner: 'unittest' },
      /^1 test that exitgate broke on purpose failed, as expected\.$/,
    ],
  ]
  it.for(rows)('%s', { timeout: patience(60_000) }, async ([, own, command, detail], { skip }) => {
    skip(command.command?.startsWith('python3') === true && noPython !== undefined, noPython)
    expect((await canaryOf(own, command)).detail).toMatch(detail)
  })

  it('whose copy takes too long is not refused', { timeout: patience(60_000) }, async () => {
    const { state, detail } = await canaryOf(files, NODE, {
      run: async (each, options, place) => {
        const result = await runTestCommand(place, each, options)
        return { ...result, ran: { ...result.ran, ended: 'deadline' } }
      },
    })
    expect({ state, detail }).toEqual({
      state: 'none',
      detail: expect.stringMatching(/^No canary: the run with broken tests shows no result \(.*in time/),
    })
  })
})
