import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CHECK, CLAIM, type HookProject, hookProject, LIE, STOPS, TALK } from '../integrations/hook-project.ts'
import { isGone } from '../is-gone.ts'
import { patience } from '../timing.ts'
import { program } from './program.ts'

const cli = await program()

/** Starts exitgate as an agent CLI does. The test writes its standard input. */
function start(p: HookProject, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: p.dir,
    env: { PATH: process.env.PATH, HOME: p.root, EXITGATE_SANDBOX: 'off', EXITGATE_STATE_DIR: p.state, ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  child.stdin.on('error', () => {})
  return { child, ended: once(child, 'close').then(([code]) => ({ code, stdout, stderr })) }
}

describe('a hook called by an agent CLI', { timeout: patience(120_000) }, () => {
  it('blocks a false claim and prints nothing but the answer to stdout', async () => {
    const p = hookProject()
    await p.run(['trust'])
    const { child, ended } = start(p, ['hook', 'claude'])
    child.stdin.end(JSON.stringify(STOPS.claude!(p.dir, LIE)))
    const { code, stdout, stderr } = await ended
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'Stop', additionalContext: expect.stringContaining('subtracts') },
    })
  })

  it('answers before the agent CLI closes stdin', async () => {
    const p = hookProject()
    const { child, ended } = start(p, ['hook', 'gemini'])
    const text = JSON.stringify(STOPS.gemini!(p.dir, TALK))
    child.stdin.write(text.slice(0, 50))
    await new Promise((written) => child.stdin.write(text.slice(50), written))
    expect(await ended).toEqual({ code: 0, stdout: '{}\n', stderr: '' })
    child.stdin.destroy()
  })

  it('stops reading when the input is too large', async () => {
    const p = hookProject()
    const { child, ended } = start(p, ['hook', 'codex'])
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    child.stdin.write('{"cwd": "')
    for (let sent = 0; sent < 100 && !child.stdin.destroyed; sent++)
      if (!child.stdin.write(chunk)) await Promise.race([once(child.stdin, 'drain').catch(() => {}), ended])
    child.stdin.end()
    const { code, stdout } = await ended
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { systemMessage: expect.stringContaining('the agent sent more than') },
    ])
  })

  it('lets the agent stop and warns when the input is empty', async () => {
    const p = hookProject()
    const { child, ended } = start(p, ['hook', 'copilot'])
    child.stdin.end()
    expect(await ended).toEqual({ code: 0, stdout: '{}\n', stderr: expect.stringContaining('the agent sent nothing') })
  })

  it('recognizes an agent that runs a command with an empty environment', async ({ skip }) => {
    skip(process.platform !== 'linux', 'other systems do not show the environment of ancestors')
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    // An agent's shell runs a command that hides where it comes from.
    const hidden = `env -i '${process.execPath}' '${cli}' goal stop --state-dir '${p.state}'; true`
    const child = spawn('sh', ['-c', hidden], { cwd: p.dir, env: { PATH: process.env.PATH, CLAUDECODE: '1' } })
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += chunk))
    await once(child, 'close')
    expect(stderr).toMatch(/an agent can't use exitgate goal stop \(CLAUDECODE is set in its parent process \d+/)
    expect((await p.run(['goal', 'status', '--json'])).json.goal).not.toHaveProperty('ended')
  })
})

/** A hook that checks `CLAIM`. Its test command doesn't end, but later ones do. */
async function busyHook(p: HookProject) {
  const first = join(p.root, 'first')
  p.write('check.sh', `[ -e "${first}" ] || { echo $$ > "${first}"; exec sleep 600; }\n${CHECK}`)
  const { child, ended } = start(p, ['hook', 'claude'])
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(async () => {
    await kill()
    const pid = Number(readFileSync(first, 'utf8'))
    if (!isGone(pid)) process.kill(pid, 'SIGKILL')
  })
  child.stdin.end(JSON.stringify(STOPS.claude!(p.dir, CLAIM)))
  await expect.poll(() => existsSync(first) && readFileSync(first, 'utf8')).toMatch(/\n/)
  const stops = join(p.stateDir, 'stops')
  const lock = join(stops, readdirSync(stops).find((name) => name.endsWith('.lock'))!)
  const change = (from: string | RegExp, to: string) =>
    writeFileSync(lock, readFileSync(lock, 'utf8').replace(from, to))
  return { pid: String(child.pid), kill, change }
}

describe('a stop while a hook of the same session has no answer yet', { timeout: patience(120_000) }, () => {
  type Busy = Awaited<ReturnType<typeof busyHook>>
  const rows: [string, string, (hook: Busy) => unknown, boolean][] = [
    ['the same message: the other hook answers', CLAIM, () => {}, false],
    ['another message', TALK, () => {}, true],
    ['the same message long after the other hook began', CLAIM, ({ change }) => change(/"at":\d+/, '"at":1'), true],
    ['the other hook was killed', CLAIM, ({ kill }) => kill(), true],
    [
      'the other hook was killed, and another process has its pid',
      CLAIM,
      async ({ kill, change, pid }) => {
        await kill()
        change(pid, String(process.ppid))
      },
      true,
    ],
    ['the other hook is on another machine', CLAIM, ({ change }) => change(/"host":"/, '"host":"not-'), true],
  ]
  it.each(rows)('%s', async (_what, message, happens, decided) => {
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    await happens(await busyHook(p))
    const { refused, told } = await p.ask('claude', STOPS.claude!(p.dir, message))
    expect([refused !== undefined, told]).toEqual([decided, ''])
  })

  it('is decided by one of many hooks, even if an earlier hook was killed', async () => {
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    await (await busyHook(p)).kill()
    const hooks = Array.from({ length: 6 }, () => start(p, ['hook', 'claude']))
    for (const { child } of hooks) child.stdin.end(JSON.stringify(STOPS.claude!(p.dir, CLAIM)))
    const answers = await Promise.all(hooks.map(({ ended }) => ended))
    expect(answers.filter(({ stdout }) => stdout !== '')).toHaveLength(1)
    expect(p.events().filter(({ type }) => type === 'iteration.decided')).toHaveLength(1)
  })
})
