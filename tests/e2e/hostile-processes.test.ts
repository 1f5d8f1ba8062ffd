import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { endOf, noteOf, type Project, runHostile } from './hostile-run.ts'
import { NODE_TESTS, processesOf } from './run-project.ts'

/** The recorded processes that are still alive, without zombies. Empty on systems without /proc. */
const alive = (project: Project): readonly number[] =>
  noteOf(project, 'pids')
    .split('\n')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
      } catch {
        return false
      }
    })

/** Records its process id, then keeps changing files as long as the project exists. */
const HELPER = `const helper = (then = 'printf half > second.txt; sleep 0.05; printf done > second.txt; sleep 0.05') =>
  'echo $$ >> ' + ROOT + '/pids; cd ' + WORK + '; while [ -e ../agent.mjs ]; do ' + then + '; done'
const quiet = { stdio: 'ignore' }
`
const FORKS = `const NOISE = helper('date > noise.js; sleep 0.05')
const env = { ...process.env, HELP: NOISE }
spawn('sh', ['-c', NOISE], quiet).unref()
spawn('sh', ['-c', NOISE], { ...quiet, detached: true }).unref()
spawn('env', ['-i', 'PATH=' + process.env.PATH, 'sh', '-c', NOISE], quiet).unref()
for (const line of ['nohup setsid sh -c "$HELP" &', '(setsid sh -c "$HELP" &)', '(sh -c "trap : TERM HUP INT; $HELP" &)'])
  spawn('sh', ['-c', line], { ...quiet, env }).unref()
const begun = () => fs.existsSync(join(ROOT, 'pids')) && fs.readFileSync(join(ROOT, 'pids'), 'utf8').split('\\n').length === 7
while (!begun()) await sleep(20)
work()
`
const NOT_LINUX = [process.platform !== 'linux', 'it looks into /proc and calls setsid'] as const

describe('processes that outlive the agent', () => {
  it('are ended before the checks run', async ({ skip }) => {
    skip(...NOT_LINUX)
    const { project, ran, seen } = await runHostile(`${HELPER}${FORKS}claim()`)
    expect(alive(project)).toEqual([])
    expect(seen).toMatch(/stopped \d+ processes it left running/)
    expect(ran.code, seen).toBe(0)
    expect(endOf(project)).toBe('completed/verified')
  })

  it('cannot fake finished work, even if they hide where they came from', async ({ skip }) => {
    skip(...NOT_LINUX)
    const agent = `${HELPER}spawn('env', ['-i', 'PATH=' + process.env.PATH, 'setsid', 'sh', '-c', helper()], { ...quiet, detached: true }).unref()
put('first.txt', 'done'); claim()`
    const { project, ran, seen } = await runHostile(agent)
    for (const pid of alive(project)) process.kill(pid, 'SIGKILL')
    expect(ran.code, seen).toBe(2)
    // The helper writes before, during or after the tests, and each moment has its own refusal.
    expect(seen).toMatch(
      /1 of 2 tests fail|Files changed while the tests ran: second\.txt|changed while exitgate checked it: second\.txt|second\.txt changed while it was copied/,
    )
  })
})

/** The work is done, and a new test does something hostile. */
const testThat = (body: string) =>
  `work(); put('more.test.js', "import { spawn } from 'node:child_process'\\nimport { appendFileSync } from 'node:fs'\\nimport { test } from 'node:test'\\ntest('more', async () => { ${body} })\\n".replaceAll('RUNNER', RUNNER).replaceAll('ROOT', JSON.stringify(ROOT)))`

describe('tests written by the agent that', () => {
  it.each([
    ['kill the program that runs them', testThat("process.kill(process.ppid, 'SIGKILL')"), 2, /tests: /],
    [
      'stop the program that runs them',
      testThat("process.kill(process.ppid, 'SIGSTOP')"),
      2,
      /tests: The test command did not finish within \d+ s and was stopped/,
    ],
    [
      'interrupt the loop',
      testThat("process.kill(RUNNER, 'SIGINT'); await new Promise((go) => setTimeout(go, 60000))"),
      3,
      /Interrupt received/,
    ],
    [
      'leave processes running',
      testThat(
        "const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }); child.unref(); appendFileSync(ROOT + '/pids', child.pid + '\\\\n')",
      ),
      0,
      /── verified ─+ exit code 0 ──/,
    ],
  ])('%s', { timeout: patience(120_000) }, async (name, agent, code, said) => {
    const config = name.startsWith('stop') ? { evidence: { maximumMinutes: patience(6_000) / 60_000 } } : {}
    const { project, ran, seen } = await runHostile(`${agent}\nclaim()`, { config, files: NODE_TESTS })
    expect(ran.code, seen).toBe(code)
    expect(seen).toMatch(said)
    expect(alive(project)).toEqual([])
    expect(endOf(project)).toBe({ 0: 'completed/verified', 2: 'aborted/iterations', 3: 'interrupted/interrupt' }[code])
  })
})

describe('an agent that finishes its work, claims, and', () => {
  it.each([
    ['sends SIGINT to the loop', "process.kill(RUNNER, 'SIGINT'); await sleep(100)", 3],
    ['sends SIGTERM to it', "process.kill(RUNNER, 'SIGTERM'); await sleep(100)", 3],
    ['sends SIGHUP to it', "process.kill(RUNNER, 'SIGHUP'); await sleep(100)", 3],
    [
      'keeps sending SIGTERM',
      "process.kill(RUNNER, 'SIGTERM'); for (;;) { await sleep(400); process.kill(RUNNER, 'SIGTERM') }",
      130,
    ],
  ])('%s only interrupts the run', async (_name, agent, code) => {
    const { project, ran, seen } = await runHostile(`work(); claim(); ${agent}`)
    expect(ran.code, seen).toBe(code)
    expect(seen).toContain('Interrupt received')
    expect(endOf(project)).toBe('interrupted/interrupt')
  })

  it('kills the loop is ended by --resume, and its iteration runs again', async () => {
    const agent = `tell('pids', process.pid + '\\n')
if (!fs.existsSync(join(ROOT, 'killed'))) { tell('killed', ''); process.kill(RUNNER, 'SIGKILL'); await sleep(600000) }
work(); claim()`
    const { project, ran } = await runHostile(agent)
    expect([ran.code, ran.signal]).toEqual([null, 'SIGKILL'])
    expect(endOf(project)).toBeUndefined()
    expect(alive(project)).toHaveLength(1)
    const resumed = await project.run(['run', '--plain', '--resume'])
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0)
    expect(resumed.stdout).toMatch(/Ended (?:1 process|\d+ processes) left over from the previous run\./)
    expect(endOf(project)).toBe('completed/verified')
    expect(alive(project)).toEqual([])
    expect(processesOf(project.root)).toEqual([])
  })
})
