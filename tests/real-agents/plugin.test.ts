import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { program } from '../e2e/program.ts'
import { root } from '../source-tree.ts'
import { patience } from '../timing.ts'
import { openRig } from './rig.ts'
import { SETUPS } from './setups.ts'

const cli = await program()
const TEST = "import { test } from 'node:test'\ntest('the kettle boils', () => { throw new Error('cold') })\n"

describe('the plugin in Claude Code', { timeout: patience(180_000) }, () => {
  it('refuses a stop after a false claim through the tool, and allows a stop without a claim', async ({ skip }) => {
    const { missing } = agentProgram('claude')
    skip(missing !== undefined, missing)
    const signal = { status: 'complete', reason: 'the kettle is repaired' }
    const rig = await openRig('claude', [
      { tools: [{ mcp: { server: 'plugin_exitgate_gate', tool: 'exit_signal', input: signal } }] },
      { text: 'Here you are.' },
      { text: 'Then I have to look at it again, later.' },
    ])
    const place = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-plugged-')))
    onTestFinished(async () => {
      await rig.close()
      rmSync(place, { recursive: true, force: true })
    })
    // What `npm install -g exitgate` installs.
    mkdirSync(join(place, 'bin'))
    writeFileSync(join(place, 'bin', 'exitgate'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, {
      mode: 0o755,
    })
    const env = {
      EXITGATE_STATE_DIR: join(place, 'state'),
      PATH: `${join(place, 'bin')}:${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`,
    }
    writeFileSync(join(rig.workspace, 'package.json'), '{"type":"module","scripts":{"test":"node --test"}}')
    writeFileSync(join(rig.workspace, 'kettle.test.js'), TEST)
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: rig.workspace,
        stdio: 'ignore',
      })
    git('init', '-q')
    git('add', '-A')
    git('commit', '-qm', 'start')
    const trust = (...code: string[]) =>
      spawnSync(process.execPath, [cli, 'trust', ...code], { cwd: rig.workspace, env, encoding: 'utf8' })
    const asked = trust()
    skip(
      /an agent can't use/.test(asked.stderr),
      'these tests were started by an agent, which may not approve anything',
    )
    const file = /a code was written to (.*)\. Repeat/.exec(asked.stderr)?.[1] ?? ''
    const trusted = trust('--code', readFileSync(file, 'utf8').split('\n')[0] ?? '')
    expect(trusted.status, trusted.stderr).toBe(0)
    const args = [...(SETUPS.claude?.args ?? []), 'mcp__plugin_exitgate_gate', '--plugin-dir', join(root, 'plugin')]
    const { transcript, stdout, stderr } = await rig.run({ args }, { env })
    expect(transcript.final, stdout + stderr).toBe('Then I have to look at it again, later.')
    expect(transcript.toolSignals).toEqual([signal])
    // The model received the refusal, with what is missing.
    expect(rig.model.requests.at(-1)?.raw).toMatch(/tests: 1 of 1 test fails/)
  })
})
