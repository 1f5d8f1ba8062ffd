import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { TestsOptions } from '../../../src/evidence/checks/tests.ts'
import { runTestCommand } from '../../../src/evidence/runners/run.ts'
import { noPython } from '../../no-python.ts'
import { patience } from '../../timing.ts'
import { claimOn, HEAD, type Settings } from '../claimed.ts'

type Files = Readonly<Record<string, string>>

const hasGo = spawnSync('go', ['version']).status === 0

/** A claim after which only run D is of interest: the work adds all files, so that the claim rests on each test. */
async function canaryOf(files: Files, command: Settings['command'] = {}, run?: TestsOptions['run']) {
  const claimed = await claimOn({}, (p) => p.write(files), {
    command,
    untested: true,
    experiments: { withoutChange: false },
    ...(run && { run }),
  })
  expect(claimed.proof).toBeDefined()
  return { ...claimed, state: claimed.proof?.broken?.state, detail: claimed.tests.detail }
}

/** Honest tests of unusual form. Each is new, so each that is broken must fail. */
const ODD = `${HEAD}import { createServer } from 'node:http'
import { describe, it } from 'node:test'

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
    expect((await canaryOf(files, { command: 'sh run.sh', runner: undefined })).detail).toMatch(
      /^The tests can't fail: exitgate broke "TestAdds" .* Probable cause: add\.go:10 \(ends the process\)\. Remove/,
    )
  })
})

describe('an honest project', () => {
  it('with unusual tests is not refused', { timeout: patience(60_000) }, async () => {
    const { tests, detail } = await canaryOf({ 'odd.test.mjs': ODD })
    expect(detail).toContain(`. ${tests.counts?.canary} tests that exitgate broke on purpose failed, as expected.`)
    expect([tests.answer, tests.counts?.canary]).toEqual(['yes', 13])
  })

  const test = (name: string) => `${HEAD}test('${name}', () => assert.equal(1 + 1, 2))\n`
  const files = { 'a.test.mjs': test('a'), 'b.test.mjs': test('b'), 'c.test.mjs': test('c') }
  it('keeps its files', { timeout: patience(60_000) }, async () => {
    const { p, state } = await canaryOf(files)
    expect(state).toBe('armed')
    expect(p.text('a.test.mjs')).toBe(files['a.test.mjs'])
  })

  it('with many test files runs only those that are broken: its own and three others', {
    timeout: patience(60_000),
  }, async () => {
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`t${i}.test.mjs`, test(`t${i}`)]))
    const { tests, ran } = await claimOn(many, (p) => p.write({ 'a.test.mjs': test('a'), 'a.mjs': '' }))
    expect(tests).toMatchObject({ answer: 'yes', counts: { canary: 4 } })
    expect(ran.at(-1)).toBe(4)
  })

  const rows: [name: string, files: Files, command: Settings['command'] & {}, detail: RegExp][] = [
    [
      'whose runner is its own gets no canary',
      { 'check.mjs': "console.log('1..1\\nok 1 a')\n" },
      { command: 'node check.mjs', runner: undefined },
      / No canary: exitgate does not know which runner "node check\.mjs" starts\.$/,
    ],
    [
      'that only prints counts, with an unknown runner',
      { 'a.test.mjs': test('a'), 'check.mjs': "console.log('3 passed in 0.10s')\n" },
      { command: 'node check.mjs', runner: undefined },
      / No canary: the run with broken tests shows no result \(the report does not name tests\)\.$/,
    ],
    [
      'that stops at the first failure',
      {
        'test_b.py':
          'import unittest\n\n\nclass B(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1 + 1, 2)\n\n    def test_b(self):\n        self.assertEqual(1 + 2, 3)\n',
      },
      { command: 'python3 -m unittest -f -v test_b', runner: 'unittest' },
      / 1 test that exitgate broke on purpose failed, as expected\.$/,
    ],
  ]
  it.for(rows)('%s', { timeout: patience(60_000) }, async ([, own, command, detail], { skip }) => {
    skip(command.command?.startsWith('python3') === true && noPython !== undefined, noPython)
    expect((await canaryOf(own, command)).detail).toMatch(detail)
  })

  it('whose copy takes too long is not refused', { timeout: patience(60_000) }, async () => {
    const { tests, state } = await canaryOf(files, {}, async (each, options, place) => {
      const result = await runTestCommand(place, each, options)
      const isBroken = place.read('a.test.mjs')?.includes('throw new Error') === true
      return isBroken ? { ...result, ran: { ...result.ran, ended: 'deadline' } } : result
    })
    expect({ state, answer: tests.answer, detail: tests.detail }).toEqual({
      state: 'unclear',
      answer: 'yes',
      detail: expect.stringMatching(/ No canary: the run with broken tests shows no result \(.*in time\)\.$/),
    })
  })

  it('hears nothing about broken tests if you turned that off', { timeout: patience(60_000) }, async () => {
    const { tests } = await claimOn(files, (p) => p.write({ 'a.mjs': '' }), { experiments: { canary: false } })
    expect([tests.answer, tests.detail]).toEqual(['yes', '3 of 3 tests pass (last of 2 runs).'])
  })
})
