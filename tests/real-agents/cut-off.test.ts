import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { program } from '../e2e/program.ts'
import { linesOf } from '../e2e/run-project.ts'
import { patience } from '../timing.ts'
import type { Turn } from './model/turn.ts'
import { openRig } from './rig.ts'
import { DONE } from './rows.ts'

const CUPS = 5
const TEST = `import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
for (let n = 1; n <= ${CUPS}; n++) test('cup ' + n, () => assert.ok(existsSync('cup' + n + '.txt')))
`
/** One more cup in each iteration. The turn limit cuts every iteration off, except the last one, which claims. */
const TURNS: readonly Turn[] = [
  ...Array.from(
    { length: CUPS },
    (_, i): Turn => ({ text: 'One more.', tools: [{ shell: `echo full > cup${i + 1}.txt` }] }),
  ),
  { text: DONE },
]

it('claude with --max-turns works on in the same session until the work is verified', {
  timeout: patience(300_000),
}, async ({ skip }) => {
  const { missing, path } = agentProgram('claude')
  skip(missing !== undefined || path === undefined, missing ?? 'claude is not installed')
  const rig = await openRig('claude', TURNS)
  onTestFinished(() => rig.close())
  const put = (name: string, text: string): void => writeFileSync(join(rig.workspace, name), text)
  put('package.json', JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }))
  put('cups.test.js', TEST)
  put('PROMPT.md', 'Fill all cups.\n')
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: rig.workspace })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'start')
  const env = {
    ...rig.env,
    PATH: `${dirname(path as string)}:${dirname(process.execPath)}:${rig.env.PATH}`,
    EXITGATE_STATE_DIR: join(rig.workspace, '..', 'state'),
    EXITGATE_SANDBOX: 'off',
  }
  const words = ['run', '--json', '--agent', 'claude', '--continue-session', '--max-iterations', '9', '--']
  const args = [await program(), ...words, '--allowedTools', 'Bash', '--max-turns', '1']
  const ran = await new Promise<{ code: number; stdout: string }>((resolve) => {
    execFile(process.execPath, args, { cwd: rig.workspace, env, maxBuffer: 1 << 26 }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), stdout }),
    )
  })
  const decided = linesOf(ran.stdout).filter(({ type }) => type === 'decided')
  const causes = decided.map(({ observation }) => (observation as { failed?: { cause?: string } }).failed?.cause)
  expect(causes, ran.stdout).toEqual([...Array(CUPS).fill('turns'), undefined])
  expect(ran.code).toBe(0)
  // The last iteration still knows the first one.
  expect(rig.model.requests.at(-1)?.raw).toContain('cup1.txt')
})
