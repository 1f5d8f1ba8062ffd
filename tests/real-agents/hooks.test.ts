import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { main } from '../../src/cli/main.ts'
import { stateDirFor } from '../../src/journal/place.ts'
import { readEvents } from '../../src/journal/read.ts'
import { sessionsOf } from '../../src/journal/sessions.ts'
import { program } from '../e2e/program.ts'
import { patience } from '../timing.ts'
import { CHECK, CONFIG, HOOK_AGENTS, type HookRow, ROWS } from './hook-rows.ts'
import { agentNamed, openRig } from './rig.ts'
import { SETUPS } from './setups.ts'

const cli = await program()

/** Options that let the agent CLI run a hook without asking the user to approve it. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  codex: ['--dangerously-bypass-hook-trust'],
  grok: ['--trust'],
}

const turnsFor = ({ turns }: HookRow, agent: string) => ('by' in turns ? turns.by[agent] : turns)

/** A real agent with our hook in its configuration, in a repository with one failing test. */
async function hooked(name: string, row: HookRow) {
  const agent = agentNamed(name)
  const rig = await openRig(name, turnsFor(row, agent) ?? [])
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
  const bin = join(dirname(rig.workspace), 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'exitgate'), '', { mode: 0o755 })
  const PATH = row.withoutProgram ? `${bin}:/usr/bin:/bin` : '/usr/bin:/bin'
  for (const scope of row.scopes ?? ['--user']) {
    const install = [cli, 'hook', 'install', agent, scope, '--timeout', '120']
    const installed = spawnSync(process.execPath, install, {
      cwd: rig.workspace,
      env: { HOME: home, PATH },
      encoding: 'utf8',
    })
    expect(installed.status, installed.stderr).toBe(0)
  }
  for (const args of row.setUp ?? [['trust']]) {
    let said = ''
    const write = (text: string) => (said += text)
    const io = { stdout: { write }, stderr: { write }, env, cwd: rig.workspace, home, platform: process.platform }
    expect(await main(args, { ...io, now: () => Date.now() }), said).toBe(0)
  }
  const args = [...(row.args?.[agent] ?? SETUPS[agent]?.args ?? []), ...(ALSO[agent] ?? [])]
  const { dir } = stateDirFor(rig.workspace, { env, home, platform: process.platform })
  const events = () => [dir, ...sessionsOf(dir).map((session) => session.dir)].flatMap((each) => [...readEvents(each)])
  const interrupt = (kill: (signal: NodeJS.Signals) => void) =>
    void rig.model.received(row.interruptedAt ?? 0).then(() => kill('SIGINT'))
  const started = row.interruptedAt === undefined ? {} : { started: interrupt }
  return {
    rig,
    // Over ACP, goose asks exitgate for permission. Here nothing would answer it.
    run: () => rig.run({ args }, { env: { GOOSE_MODE: 'auto', ...env, ...row.env }, ...started }),
    /** How many requests to the model contain this text. */
    requestsWith: (what: RegExp) => rig.model.requests.filter(({ raw }) => what.test(raw)).length,
    decisions: () => events().flatMap((event) => (event.type === 'iteration.decided' ? [event.verdict.action] : [])),
    ending: () =>
      events()
        .flatMap((event) => (event.type === 'run.ended' ? [event.ending] : []))
        .at(-1),
  }
}

describe.each(HOOK_AGENTS)('the hook in %s', { timeout: patience(180_000) }, (name) => {
  const { missing } = agentProgram(name)
  const agent = agentNamed(name)

  it.for(ROWS.map((row) => [row.about, row] as const))('%s', async ([, row], { skip }) => {
    skip(missing !== undefined, missing)
    skip(row.long === true && process.env.EXITGATE_AGENT_ROWS !== 'all', 'slow: set EXITGATE_AGENT_ROWS=all')
    const without = row.without?.[agent] ?? (turnsFor(row, agent) === undefined ? 'its call is not known' : undefined)
    skip(without !== undefined, `${agent}: ${without}`)
    const expected = { ...row.expected, ...row.other?.[agent] }
    const { rig, run, requestsWith, decisions, ending } = await hooked(name, row)
    const { stdout, stderr } = await run()
    const printed = stdout + stderr
    const either = [expected.decisions, [...expected.decisions, ...(expected.mayFollow ?? [])]]
    expect(either, printed).toContainEqual(decisions())
    expect(ending(), printed).toBe(expected.ending)
    if (expected.seen !== undefined) expect(requestsWith(expected.seen), printed).toBeGreaterThan(0)
    if (expected.requests !== undefined) expect(rig.model.requests, printed).toHaveLength(expected.requests)
    if (row.work) expect(existsSync(join(rig.workspace, 'fixed'))).toBe(true)
  })
})
