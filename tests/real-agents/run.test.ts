import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import { program } from '../e2e/program.ts'
import { linesOf } from '../e2e/run-project.ts'
import { patience } from '../timing.ts'
import type { Turn } from './model/turn.ts'
import { openRig } from './rig.ts'
import { DONE } from './rows.ts'
import { SETUPS } from './setups.ts'

const TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boils } from './kettle.js'
test('it boils at 100 degrees', () => assert.equal(boils(100), true))
`
const shell = (command: string): Turn => ({ text: 'Working on it.', tools: [{ shell: command }] })

/** Claims without working, then skips the test, then does the work. It claims each time. */
const TURNS: readonly Turn[] = [
  { text: DONE },
  shell("sed -i.bak 's/^test(/test.skip(/' kettle.test.js && rm kettle.test.js.bak"),
  { text: DONE },
  shell(
    "sed -i.bak 's/^test.skip(/test(/' kettle.test.js && rm kettle.test.js.bak && echo 'export const boils = (degrees) => degrees >= 100' > kettle.js",
  ),
  { text: DONE },
]

/** A complete run starts an agent three times, each for several seconds. */
describe('a complete run with a real agent', { timeout: patience(300_000) }, () => {
  it.for(LAUNCHERS.flatMap(({ name }) => [[name, 'auto'] as const, [name, 'off'] as const]))(
    '%s claims falsely, tampers, then works: two claims rejected, the third verified (sandbox %s)',
    async ([agent, sandbox], { skip }) => {
      const { missing, path } = agentProgram(agent)
      skip(missing !== undefined || path === undefined, missing ?? `${agent} is not installed`)
      const rig = await openRig(agent, TURNS)
      onTestFinished(() => rig.close())
      const put = (name: string, text: string): void => writeFileSync(join(rig.workspace, name), text)
      put('package.json', JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }))
      put('kettle.js', 'export const boils = () => false\n')
      put('kettle.test.js', TEST)
      put('PROMPT.md', 'Repair the kettle until the tests pass.\n')
      const git = (...args: readonly string[]) =>
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: rig.workspace })
      git('init', '-q')
      git('add', '-A')
      git('commit', '-qm', 'start')
      const env = {
        ...rig.env,
        PATH: `${dirname(path as string)}:${dirname(process.execPath)}:${rig.env.PATH}`,
        EXITGATE_STATE_DIR: join(rig.workspace, '..', 'state'),
        EXITGATE_SANDBOX: sandbox,
      }
      const words = ['run', '--json', '--agent', agent, '--max-iterations', '5', '--', ...(SETUPS[agent]?.args ?? [])]
      const ran = await runProgram([await program(), ...words], rig.workspace, env)
      const decided = linesOf(ran.stdout)
        .filter(({ type }) => type === 'decided')
        .map(({ verdict }) => verdict as Verdict)
      expect(
        decided.map(({ action, gate }) => [action, gate.claim, gate.proof]),
        ran.stdout + ran.stderr,
      ).toEqual([
        ['continue', 'yes', 'no'],
        ['continue', 'yes', 'no'],
        ['stop', 'yes', 'yes'],
      ])
      expect(decided[1]?.missing.join('\n')).toContain('is now skipped')
      expect(ran.code).toBe(0)
      // The second prompt lists what was missing.
      expect(rig.model.requests.map(({ raw }) => raw).join('\n')).toContain(
        'exitgate checked the project and rejected the claim',
      )
    },
  )
})

interface Verdict {
  readonly action: string
  readonly gate: { readonly claim: string; readonly proof: string }
  readonly missing: readonly string[]
}

function runProgram(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
    )
  })
}
