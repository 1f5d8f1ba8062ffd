import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { assertRestored, assertSound, inShell, noTerminal, type Session, story } from './interrupt-run.ts'
import { processesOf, runProject, TAP } from './run-project.ts'
import { CTRL_C, CTRL_Z } from './terminal.ts'

beforeEach(({ skip }) => skip(noTerminal !== undefined, noTerminal))

/** Each time the program stops, the shell prints the terminal settings. It continues the program when you type a line. */
const WITH_JOBS = `"$@"; code=$?
while [ $code = 147 ] || [ $code = 148 ]; do stty -a; echo "[stopped]"; read line; fg >/dev/null; code=$?; done
stty -a; echo "[exit code $code]"`

/**
 * Like `PATIENT_AGENT`, but it waits in Node. A shell that is just starting a program can't be stopped before that program runs, which a
 * stopped one doesn't.
 */
const AGENT = `exec ${process.execPath} -e '
const home = process.env.HOME
const n = process.env.EXITGATE_ITERATION
child_process.spawn("sleep", ["600"], { stdio: "ignore" }).unref()
fs.appendFileSync(home + "/started", n + "\\n")
console.log("working on iteration " + n)
setInterval(() => {
  if (!fs.existsSync(home + "/go")) return
  fs.writeFileSync("work.txt", n)
  fs.appendFileSync(home + "/finished", n + "\\n")
  console.log("Still at it.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest")
  process.exit()
}, 20)'`

/** Tests that run as long as a file next to the workspace exists, also in a copy of it. */
const slowTests = (root: string) => `#!/bin/sh
if [ -e ${root}/slow ]; then ${process.execPath} -e '
fs.appendFileSync("${root}/testing", "x\\n")
setInterval(() => fs.existsSync("${root}/slow") || process.exit(), 20)'; fi
${TAP}check 'it works' true
`

/** Processes of the run that are not stopped, without the shell and the terminal. */
const running = ({ project: { root } }: Session): readonly string[] =>
  processesOf(root)
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/stat`, 'latin1')]
      } catch {
        return []
      }
    })
    .filter((stat) => !/^\d+ \((?:sh|dash|bash|python.*)\) /.test(stat) && !/\) [TtZ] /.test(stat))

async function stopAndContinue(session: Session): Promise<void> {
  const { terminal } = session
  terminal.type(CTRL_Z)
  await terminal.shows(/\[stopped\]/)
  assertRestored(terminal)
  const linux = existsSync('/proc/self/stat')
  // A process that waits for a processor stops as soon as it gets one, before it runs anything.
  if (linux) await expect.poll(() => running(session), { timeout: patience(30_000) }).toEqual([])
  terminal.type('\n')
  // A key pressed before the program has the terminal back would reach the shell.
  if (linux) await expect.poll(() => running(session), { timeout: patience(30_000) }).not.toEqual([])
}

describe('Ctrl+Z and fg', { timeout: patience(90_000) }, () => {
  it('also stop the agent and the tests, in every phase, and everything continues', async () => {
    const project = runProject()
    chmodSync(project.write('halves.sh', slowTests(project.root)), 0o755)
    const slow = join(project.root, 'slow')
    writeFileSync(slow, '')
    const session = await inShell(
      // Started by its name, so that it isn't taken for the shell.
      {
        shell: WITH_JOBS,
        agent: AGENT,
        args: ['--calls-per-hour', '1'],
        env: { EXITGATE_COMMANDS_TEST: './halves.sh' },
      },
      project,
    )
    const { terminal } = session

    await session.noted('testing', 'x')
    await stopAndContinue(session)
    await terminal.shows(/running the checks for the baseline/)
    rmSync(slow)

    await session.noted('started', '1')
    await terminal.shows(/agent working/)
    await stopAndContinue(session)
    await terminal.shows(/agent working/)
    writeFileSync(slow, '')
    session.let('go')

    await session.noted('testing', 'x\nx')
    await stopAndContinue(session)
    await terminal.shows(/running the checks, /)
    rmSync(slow)

    await terminal.shows(/waiting/)
    await stopAndContinue(session)
    await terminal.shows(/waiting/)
    terminal.type(CTRL_C)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(session.note('finished')).toBe('1\n')
    expect(story(project)).toEqual(['start 1.1', '1 warn', 'interrupted/interrupt'])
    await assertSound(project)
  })

  it('work with --plain, and a Ctrl+C afterwards is the first', async () => {
    const session = await inShell({ shell: WITH_JOBS, agent: AGENT, args: ['--max-iterations', '1', '--plain'] })
    const { project, terminal } = session
    await session.noted('started', '1')
    await stopAndContinue(session)
    expect(terminal.text()).not.toMatch(/Interrupt received/)
    terminal.type(CTRL_C)
    await terminal.shows(/the agent finishes this iteration/)
    session.let('go')
    expect(await session.end(), terminal.text()).toBe(3)
    expect(session.note('finished')).toBe('1\n')
    await assertSound(project)
  })

  it('work in the menu of an open breaker', async () => {
    const session = await inShell({
      shell: WITH_JOBS,
      agent: 'echo Still at it.',
      files: { 'exitgate.config.json': JSON.stringify({ breaker: { noProgress: 1, halfOpenAt: 1 } }) },
    })
    const { terminal } = session
    await terminal.shows(/Ctrl\+C aborts/)
    await stopAndContinue(session)
    await terminal.shows(/Ctrl\+C aborts/)
    terminal.type(CTRL_C)
    expect(await session.end(), terminal.text()).toBe(1)
    await assertSound(session.project)
  })
})
