import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { CLAIM, runProject } from './run-project.ts'

const FILES = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'cart.js': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)\n',
  'cart.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from './cart.js'
test('total adds the prices', () => assert.equal(total([2, 3]), 5))
`,
}
const WORK = `echo 'export const half = (n) => n / 2' >> cart.js
cat > half.test.js <<'X'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { half } from './cart.js'
test('half of six is three', () => assert.equal(half(6), 3))
X
`

it.each([
  ['new work with its test is verified', WORK, 0, /^.*Verified: .*proven by: "half of six is three"/m],
  ['a claim without work is rejected', '', 2, /Claim rejected: No changes since the start\./],
])('in a folder without git: %s', { timeout: patience(120_000) }, async (_name, work, code, said) => {
  const p = runProject(FILES)
  rmSync(join(p.dir, '.git'), { recursive: true })
  const run = await p.run([
    'run',
    '--max-iterations',
    '1',
    '--task',
    'Write half.',
    '--',
    ...p.agent(`${work}${CLAIM}`),
  ])
  expect(run.stdout).toMatch(said)
  expect(run.code).toBe(code)
})
