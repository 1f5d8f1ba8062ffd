import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { main } from '../../src/cli/main.ts'
import { stateDirFor } from '../../src/journal/place.ts'
import { readEvents } from '../../src/journal/read.ts'
import { sessionsOf } from '../../src/journal/sessions.ts'
import { program } from '../e2e/program.ts'
import { patience } from '../timing.ts'
import type { Turn } from './model/turn.ts'
import { openRig } from './rig.ts'
import { SETUPS } from './setups.ts'

const cli = await program()
const LIE = 'I repaired the kettle. All tests pass.'
const TALK = 'Which kettle do you mean?'
const CLAIM = 'It boils.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: it boils\nREMAINING_WORK: none\n'
const FIX: Turn = { tools: [{ shell: 'touch fixed' }] }
/** Prints what jest would, and passes once the file `fixed` exists. */
const CHECK = `if [ -e fixed ]; then echo 'Tests:       1 passed, 1 total'; else echo 'Tests:       1 failed, 1 total'; exit 1; fi\n`
const CONFIG = '{"commands": {"test": "sh check.sh"}}'

/** Options that let the agent CLI run a hook without asking the user to approve it. */
const ALSO: Readonly<Record<string, readonly string[]>> = { codex: ['--dangerously-bypass-hook-trust'] }

/** A real agent with our hook in its configuration, in a trusted repository. */
async function hooked(agent: string, turns: readonly Turn[], setUp: readonly (readonly string[])[] = [['trust']]) {
  const rig = await openRig(agent, turns)
  onTestFinished(() => rig.close())
  const home = join(dirname(rig.workspace), 'home')
  const state = join(dirname(rig.workspace), 'state')
  writeFileSync(join(rig.workspace, 'check.sh'), CHECK)
  writeFileSync(join(rig.workspace, 'exitgate.config.json'), CONFIG)
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
  ])
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: rig.workspace, stdio: 'ignore' })
  const env = { EXITGATE_STATE_DIR: state }
  const install = [cli, 'hook', 'install', agent, '--user', '--timeout', '120']
  const installed = spawnSync(process.execPath, install, { cwd: rig.workspace, env: { HOME: home }, encoding: 'utf8' })
  expect(installed.status, installed.stderr).toBe(0)
  for (const args of setUp) {
    let said = ''
    const write = (text: string) => (said += text)
    const io = { stdout: { write }, stderr: { write }, env, cwd: rig.workspace, home, platform: process.platform }
    expect(await main(args, { ...io, now: () => Date.now() }), said).toBe(0)
  }
  const args = [...(SETUPS[agent]?.args ?? []), ...(ALSO[agent] ?? [])]
  const { dir } = stateDirFor(rig.workspace, { env, home, platform: process.platform })
  const events = () => [dir, ...sessionsOf(dir).map((session) => session.dir)].flatMap((each) => [...readEvents(each)])
  return {
    rig,
    run: (more: Readonly<Record<string, string>> = {}) => rig.run({ args }, { env: { ...env, ...more } }),
    /** How many requests to the model contain this text. */
    requestsWith: (what: RegExp) => rig.model.requests.filter(({ raw }) => what.test(raw)).length,
    decisions: () => events().flatMap((event) => (event.type === 'iteration.decided' ? [event.verdict.action] : [])),
    ending: () =>
      events()
        .flatMap((event) => (event.type === 'run.ended' ? [event.ending] : []))
        .at(-1),
  }
}

describe.each(['claude', 'codex', 'gemini', 'opencode', 'pi', 'qwen', 'droid'])(
  'the hook in %s',
  { timeout: patience(180_000) },
  (agent) => {
    const { missing } = agentProgram(agent)

    it('refuses a false claim, lets the agent continue, and accepts a true claim', async ({ skip }) => {
      skip(missing !== undefined, missing)
      const { rig, run, requestsWith, decisions, ending } = await hooked(agent, [{ text: LIE }, FIX, { text: LIE }])
      const { stdout, stderr } = await run()
      expect(
        requestsWith(/the work is not done \(refusal 1 of \d+\)[\s\S]*tests: 1 of 1 test fails/),
        stdout + stderr,
      ).toBeGreaterThan(0)
      expect(existsSync(join(rig.workspace, 'fixed'))).toBe(true)
      expect(decisions()).toEqual(['continue', 'stop'])
      expect(ending()).toBe('verified')
    })

    it('lets a message without a claim pass at once', async ({ skip }) => {
      skip(missing !== undefined, missing)
      const { rig, run, decisions } = await hooked(agent, [{ text: TALK }])
      const { transcript } = await run()
      expect(transcript.final).toContain(TALK)
      expect(rig.model.requests).toHaveLength(1)
      expect(decisions()).toEqual([])
    })
  },
)

describe.each(['claude', 'codex', 'gemini', 'pi'])('a goal in %s', { timeout: patience(180_000) }, (agent) => {
  const { missing } = agentProgram(agent)
  const goal = [['goal', 'start', 'the kettle boils']]

  it('keeps the agent working until claim and proof agree', async ({ skip }) => {
    skip(missing !== undefined, missing)
    const turns = [{ text: TALK }, FIX, { text: LIE }, { text: CLAIM }]
    const { run, requestsWith, decisions, ending } = await hooked(agent, turns, goal)
    const { stdout, stderr } = await run()
    expect(requestsWith(/Goal: the kettle boils/), stdout + stderr).toBeGreaterThan(0)
    expect(decisions()).toEqual(['continue', 'continue', 'stop'])
    expect(ending()).toBe('verified')
  })

  it('releases an agent that never gets there, before its own CLI would', async ({ skip }) => {
    skip(missing !== undefined, missing)
    const { run, decisions, ending } = await hooked(agent, [{ text: TALK }], goal)
    await run({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '4' })
    expect(ending()).toBe('iterations')
    expect(decisions().length).toBe(agent === 'claude' ? 4 : 21)
  })
})
