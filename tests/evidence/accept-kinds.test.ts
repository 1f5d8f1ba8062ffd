import { expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import { listedFindings } from '../../src/core/accepting.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { AcceptedFinding, EvidenceSet } from '../../src/core/types.ts'
import { gather, gatherBaseline } from '../../src/evidence/gather.ts'
import { patience } from '../timing.ts'
import { type Project, project } from './git-project.ts'
import { ONE_NODE } from './red-proof/proving.ts'

const head =
  "import test from 'node:test'\nimport assert from 'node:assert'\nimport { readFileSync } from 'node:fs'\nimport { a } from '../src/a.js'\n"
const one = "test('is one', () => {\n  assert.equal(a, 1)\n})\n"
const shown =
  "test('is shown', () => {\n  assert.equal(String(readFileSync(new URL('__snapshots__/a.snap', import.meta.url))).slice(0, 3), 'one')\n})\n"
const packageJson = (script: string) => `${JSON.stringify({ type: 'module', scripts: { test: script } })}\n`
const settings = (lines: number) => `export default { coverageThreshold: { global: { lines: ${lines} } } }\n`
const files = {
  'package.json': packageJson('node --test'),
  'jest.config.js': settings(80),
  'src/a.js': 'export const a = 1\n',
  'tests/a.test.js': head + one + shown,
  'tests/b.test.js': `${head}test('is a number', () => {\n  assert.equal(typeof a, 'number')\n})\n`,
  'tests/__snapshots__/a.snap': 'one\nline 2\nline 3\nline 4\n',
}

/** What the user may have wanted, and the kind of the finding. */
const rows: [name: string, kind: string, work: (p: Project) => void][] = [
  ['a test was removed', 'test-removed', (p) => p.write({ 'tests/a.test.js': head + shown })],
  ['a test file was deleted', 'test-file-deleted', (p) => p.remove('tests/b.test.js')],
  [
    'a test got another name and content',
    'test-removed',
    (p) => p.write({ 'tests/a.test.js': `${head}test('has a value', () => {\n  assert.ok(a)\n})\n${shown}` }),
  ],
  [
    'a test is skipped',
    'test-skipped',
    (p) => p.write({ 'tests/a.test.js': head + one.replace('test(', 'test.skip(') + shown }),
  ],
  [
    'an assertion is weaker, and its original fails',
    'assertion-weakened',
    (p) =>
      p.write({
        'src/a.js': 'export const a = 2\n',
        'tests/a.test.js': head + one.replace('equal(a, 1)', 'ok(a)') + shown,
      }),
  ],
  ['the coverage that the settings ask for', 'threshold-lowered', (p) => p.write({ 'jest.config.js': settings(70) })],
  ['a failing test', 'test-failing', (p) => p.write({ 'src/a.js': 'export const a = 2\n' })],
]

it.each(rows)('%s: one accept is enough', { timeout: patience(60_000) }, async (_name, kind, work) => {
  const p = project(files)
  const config = configure({
    commands: { test: ONE_NODE },
    evidence: { cleanRoom: 'off', canary: false, confirmRuns: 0, proof: 'report' },
  })
  const options = {
    ...{ dir: p.dir, config, checks: policyFor(config).checks, stateDir: p.state, sandbox: undefined },
    ...{ taskTexts: [], ignore: [], at: 0 },
  }
  const { baselineId = '' } = await gatherBaseline({ ...options, claim: false })
  work(p)
  const look = async (accepted: readonly AcceptedFinding[]): Promise<EvidenceSet> =>
    (await gather({ ...options, baselineId, claim: true, accepted })).evidence
  const before = await look([])
  const open = listedFindings(before)
  expect(open.map((finding) => finding.kind)).toContain(kind)
  const all = Object.values(before).flatMap(({ findings = [] }) => findings)
  const after = await look(all.map((finding) => ({ ...finding, by: 'you', reason: 'on request' })))
  const failing = Object.values(after).filter(
    ({ check, answer }) => answer !== 'yes' && check !== 'clean' && check !== 'proven',
  )
  expect(failing).toEqual([])
  expect(Object.values(after).flatMap(({ accepted = [] }) => accepted.map((each) => each.reason))).toContain(
    'on request',
  )
})
