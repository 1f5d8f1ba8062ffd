import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { endOf, noteOf, type Project, runHostile } from './hostile-run.ts'
import { HALVES, processesOf } from './run-project.ts'

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
const helper = (then: string): string =>
  `helper="echo \\$\\$ >> $ROOT/pids; cd $WORK; while [ -e ../agent.sh ]; do ${then}; done" quiet=/dev/null\n`
const FORKS = `${helper('date > noise.js; sleep 0.05')}sh -c "$helper" < $quiet > $quiet 2>&1 &
setsid sh -c "$helper" < $quiet > $quiet 2>&1 &
env -i PATH="$PATH" sh -c "$helper" < $quiet > $quiet 2>&1 &
(nohup setsid sh -c "$helper" < $quiet > $quiet 2>&1 &)
(setsid sh -c "$helper" < $quiet > $quiet 2>&1 &)
(sh -c "trap : TERM HUP INT; $helper" < $quiet > $quiet 2>&1 &)
until [ -e "$ROOT/pids" ] && [ "$(grep -c . "$ROOT/pids")" = 6 ]; do sleep 0.02; done
work
claim`
/** At no moment are both halves done: the helper may be ended, or not get a turn, at any of them. */
const HIDES = `${helper(
  ['first second', 'second first']
    .map((order) => order.split(' '))
    .map(([half, done]) => `printf half > ${half}.txt; printf done > ${done}.txt; sleep 0.05`)
    .join('; '),
)}
env -i PATH="$PATH" setsid sh -c "$helper" < $quiet > $quiet 2>&1 &
claim`
const NOT_LINUX = [process.platform !== 'linux', 'it looks into /proc and calls setsid'] as const

describe('processes that outlive the agent', () => {
  it('are ended before the checks run', async ({ skip }) => {
    skip(...NOT_LINUX)
    const { project, ran, seen } = await runHostile(FORKS)
    expect(alive(project)).toEqual([])
    expect(seen).toMatch(/stopped \d+ process(?:es)? it left running|exitgate ended what the agent left running/)
    expect(ran.code, seen).toBe(0)
    expect(endOf(project)).toBe('completed/verified')
  })

  it('cannot fake finished work, even if they hide where they came from', async ({ skip }) => {
    skip(...NOT_LINUX)
    const { project, ran, seen } = await runHostile(HIDES)
    for (const pid of alive(project)) process.kill(pid, 'SIGKILL')
    expect(ran.code, seen).toBe(2)
    // The helper writes before, during or after the tests, and each moment has its own refusal.
    expect(seen).toMatch(
      /[12] of 2 tests fail|Files changed while the tests ran: \w+\.txt|changed while exitgate checked it: \w+\.txt|\w+\.txt changed while it was copied/,
    )
  })
})

/** The tests run every test that the agent adds. */
const FILES = { 'halves.sh': `${HALVES}for name in more*.sh; do test ! -e "$name" || check "$name" sh "$name"; done\n` }
/** The work is done, and a new test does something hostile. */
const testThat = (does: string) => `work\ncat > more.sh << END\n${does}\nEND`

describe('tests written by the agent that', () => {
  it.each([
    ['kill the program that runs them', testThat('kill -KILL \\$PPID'), 2, /tests: /],
    [
      'stop the program that runs them',
      testThat('kill -STOP \\$PPID'),
      2,
      /tests: The test command did not finish within \d+ s and was stopped/,
    ],
    ['interrupt the loop', testThat('kill -INT $RUNNER; sleep 60'), 3, /Interrupt received/],
    [
      'leave processes running',
      testThat(
        'if command -v setsid > /dev/null; then own=setsid; fi\n\\$own sleep 600 < /dev/null > /dev/null 2>&1 &\necho \\$! >> $ROOT/pids',
      ),
      0,
      /── verified ─+ exit code 0 ──/,
    ],
  ])('%s', { timeout: patience(120_000) }, async (name, agent, code, said) => {
    const config = name.startsWith('stop') ? { evidence: { maximumMinutes: patience(6_000) / 60_000 } } : {}
    const { project, ran, seen } = await runHostile(`${agent}\nclaim`, { config, files: FILES })
    expect(ran.code, seen).toBe(code)
    expect(seen).toMatch(said)
    expect(alive(project)).toEqual([])
    expect(endOf(project)).toBe({ 0: 'completed/verified', 2: 'aborted/iterations', 3: 'interrupted/interrupt' }[code])
  })
})

describe('an agent that finishes its work, claims, and', () => {
  it.each([
    ['sends SIGINT to the loop', 'kill -INT $RUNNER; sleep 0.1', 3],
    ['sends SIGTERM to it', 'kill -TERM $RUNNER; sleep 0.1', 3],
    ['sends SIGHUP to it', 'kill -HUP $RUNNER; sleep 0.1', 3],
    ['keeps sending SIGTERM', 'while :; do kill -TERM $RUNNER; sleep 0.4; done', 130],
  ])('%s only interrupts the run', async (_name, agent, code) => {
    const { project, ran, seen } = await runHostile(`work; claim; ${agent}`)
    expect(ran.code, seen).toBe(code)
    expect(seen).toContain('Interrupt received')
    expect(endOf(project)).toBe('interrupted/interrupt')
  })

  it('kills the loop is ended by --resume, and its iteration runs again', async () => {
    const agent = `echo $$ > "$ROOT/pids"
if [ ! -e "$ROOT/killed" ]; then : > "$ROOT/killed"; kill -KILL $RUNNER; exec sleep 600; fi
work; claim`
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
