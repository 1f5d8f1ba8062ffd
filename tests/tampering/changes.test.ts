import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { tamperingCheck } from '../../src/evidence/checks/tampering.ts'
import { project } from '../evidence/git-project.ts'

const TEST = (call: string, value: string) =>
  `import test from 'node:test'\nimport assert from 'node:assert'\n${call}('adds', () => {\n  assert.equal(add(1, 2), ${value})\n})\n`

const rows: readonly (readonly [string, string, object])[] = [
  ['a skipped test', TEST('test.skip', '3'), { kind: 'test-skipped', blocks: true, after: 'test.skip' }],
  [
    'a secret in a file',
    `${TEST('test', '3')}// @ts-ignore API_TOKEN=abcdef123456\n`,
    { after: expect.stringContaining('API_TOKEN=[redacted]') },
  ],
]
it.each(rows)('%s is recorded with its text before and after', async (_name, now, change) => {
  const p = project({ 'add.test.js': TEST('test', '3') })
  const baseline = await takeBaseline({ workspace: p.workspace, commands: [], evidence: {}, tree: 't', at: 1 }, p.state)
  writeFileSync(join(p.dir, 'add.test.js'), now)
  const context = { workspace: p.workspace, baseline, claim: false, tree: 't', taskTexts: [], deadlineMs: 60_000 }
  const [evidence] = await tamperingCheck([]).collect(context)
  expect(evidence?.changes).toContainEqual(expect.objectContaining({ file: 'add.test.js', ...change }))
})
