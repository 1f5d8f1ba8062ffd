import { expect, it } from 'vitest'
import { changedSince } from '../../src/evidence/baseline/changed.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { tamperingCheck } from '../../src/evidence/checks/tampering.ts'
import { project } from './git-project.ts'
import { contextOf, ONE_NODE, runPlain, testCommand } from './red-proof/proving.ts'

const SOURCE = 'export const parse = (text) => ({ name: text, length: text.length })\n'
const testOf = (...lines: readonly string[]) => `import test from 'node:test'
import assert from 'node:assert'
import { parse } from '../src/parse.mjs'
test('parses', () => {
${lines.map((line) => `  ${line}\n`).join('')}})
test('counts', () => assert.equal(parse('ab').length, 2))
`
const NAME = "assert.equal(parse('a').name, 'a')"
const LENGTH = "assert.equal(parse('a').length, 1)"
const UPPER = "assert.equal(parse('a').upper, 'A')"
const WITH_UPPER = SOURCE.replace('name: text', 'name: text, upper: text.toUpperCase()')
const BROKEN = WITH_UPPER.replace('length: text.length', 'length: text.length + (text.length < 2)')

const rows: readonly [name: string, source: string, test: string, answer: string][] = [
  ['the old version passes, and the new one proves the change', WITH_UPPER, testOf(UPPER), 'yes'],
  ['the dropped assertion fails now', BROKEN, testOf(UPPER), 'no'],
  ['the new version proves nothing', WITH_UPPER, testOf(NAME), 'no'],
  ['the new version proves only what was there', WITH_UPPER, testOf("assert.deepEqual(parse('a').name, 'a')"), 'no'],
  ['only the tests changed', SOURCE, testOf(NAME), 'no'],
]

it.each(rows)('a rewritten test: %s', async (_, source, test, answer) => {
  const one = project({ 'src/parse.mjs': SOURCE, 'test/parse.test.mjs': testOf(NAME, LENGTH) })
  const input = { workspace: one.workspace, commands: [], evidence: {}, tree: 't', at: 1 }
  const baseline = await takeBaseline(input, one.state)
  one.write({ 'src/parse.mjs': source, 'test/parse.test.mjs': test })
  const command = testCommand(ONE_NODE)
  const testsNow = async () => {
    const { run } = await runPlain(one.workspace, command, { deadlineMs: 60_000 })
    expect(run).toMatchObject({ passed: 2, failed: 0 })
    return { evidence: [], run: run! }
  }
  expect(await changedSince(baseline, one.workspace)).not.toEqual([])
  const check = tamperingCheck([], { commands: [command], run: runPlain, testsNow, accept: [] })
  const [evidence] = await check.collect(contextOf(one.workspace, { baseline }))
  expect([evidence?.answer, evidence?.detail]).toEqual([
    answer,
    expect.stringMatching(
      answer === 'yes' ? /^Warnings only\. .*Its original version still passes/ : /parse\.test\.mjs/,
    ),
  ])
})
