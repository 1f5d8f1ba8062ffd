import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { verifyJournal } from '../../src/journal/read.ts'
import { patience } from '../timing.ts'
import { program } from './program.ts'
import { CLAIM, processesOf, runProject, WORK, waitFor } from './run-project.ts'
import { CTRL_C, noTerminal, openTerminal, type Terminal } from './terminal.ts'

export type Project = ReturnType<typeof runProject>

/** Notes that it started, waits for the test to release it, and notes that it finished. It doesn't handle interrupts. */
export const PATIENT_AGENT = String.raw`n=$EXITGATE_ITERATION
sleep 600 < /dev/null > /dev/null 2>&1 &
echo $n >> "$HOME/started"
echo "working on iteration $n"
${waitFor('go')}printf $n > work.txt
echo $n >> "$HOME/finished"
printf 'Still at it.\n\nEXIT_STATUS: CONTINUE\nREMAINING_WORK: the rest\n'`

/** Does all the work and claims. */
export const QUICK_AGENT = `${WORK}${CLAIM}`

/**
 * A shell with job control, like a user's. It prints the exit code and the terminal settings, and survives extra Ctrl+C presses: they
 * neither end `stty` nor discard output, and their echo is not between its lines.
 */
const SHELL =
  'trap : INT; stty noflsh; "$@"; code=$?; trap "" INT; settings=$(stty -a); echo "$settings"; echo "[exit code $code]"'

export interface Session {
  readonly project: Project
  readonly terminal: Terminal
  /** Reads a file next to the workspace. */
  note(name: string): string
  /** Creates a file next to the workspace that an agent or a command waits for. */
  let(name: string): void
  /** Waits until that file contains the text. */
  noted(name: string, text?: string): Promise<void>
  /** Waits for the end, checks that the terminal is restored, and returns the exit code. */
  end(): Promise<number>
  /** Runs exitgate without a terminal. */
  exitgate(...args: readonly string[]): ReturnType<Project['run']>
}

interface SessionOptions {
  readonly args?: readonly string[]
  readonly agent?: string
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly rows?: number
  readonly columns?: number
  /** Runs this command instead of `run` with the agent. */
  readonly command?: readonly string[]
  readonly shell?: string
  /** The key that answers whether failing tests are accepted. */
  readonly answers?: string
}

export async function inShell(options: SessionOptions = {}, project = runProject(options.files)): Promise<Session> {
  const { args = [], agent = PATIENT_AGENT, env = {}, command } = options
  const given = command ?? ['run', ...args, '--', ...project.agent(agent)]
  const { rows = 40, columns = 120 } = options
  const argv = ['sh', '-mc', options.shell ?? SHELL, 'sh', process.execPath, await program(), ...given]
  const terminal = openTerminal(argv, { cwd: project.dir, env: { ...project.env, ...env }, rows, columns })
  return sessionOf(project, terminal, options)
}

/** Starts exitgate without a shell, so the test can close the terminal and still get the exit code. */
export async function withoutShell(
  options: SessionOptions = {},
  project = runProject(options.files),
): Promise<Session> {
  const { args = [], agent = PATIENT_AGENT, env = {} } = options
  const argv = [process.execPath, await program(), 'run', ...args, '--', ...project.agent(agent)]
  return sessionOf(project, openTerminal(argv, { cwd: project.dir, env: { ...project.env, ...env } }))
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

function sessionOf(project: Project, terminal: Terminal, { answers = 'n' }: SessionOptions = {}): Session {
  // A failed test may have left a run waiting forever.
  onTestFinished(() => {
    for (const pid of processesOf(project.root)) end(Number(pid))
  })
  // The tests of these projects fail at the start, which is the agent's task.
  terminal.answer(/Accept (?:it|them)\? .*\[y\/N\]/, answers)
  const path = (name: string): string => join(project.root, name)
  const note = (name: string): string => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : '')
  return {
    project,
    terminal,
    note,
    let: (name) => writeFileSync(path(name), ''),
    noted: async (name, text = '') => {
      const early = terminal.ended.then((code) => {
        throw new Error(`it ended with ${code} before:\n${terminal.text()}`)
      })
      early.catch(() => {})
      const written = expect
        .poll(() => note(name), { timeout: patience(60_000), interval: 20 })
        .toMatch(new RegExp(`${text}\\n`))
      await Promise.race([written, early])
    },
    async end() {
      const [, code] = await terminal.shows(/\[exit code (\d+)\]/)
      assertRestored(terminal)
      await terminal.ended
      return Number(code)
    },
    exitgate: (...args) => project.run(args),
  }
}

/** Checks that the cursor is visible, lines wrap, raw mode is off and typed text is echoed. */
export function assertRestored(terminal: Terminal): void {
  const settings = terminal.text().slice(terminal.text().lastIndexOf('speed'))
  for (const mode of ['icanon', 'isig', 'echo', 'icrnl', 'opost'])
    expect(settings).toMatch(new RegExp(`[^-]\\b${mode}\\b`))
  const modes = new Map<string, string>()
  for (const [, mode = '', last = ''] of terminal.bytes().matchAll(/\u001b\[\?(\d+)([hl])/g)) modes.set(mode, last)
  const expected = { '25': 'h', '7': 'h', '2004': 'l', '2026': 'l' }
  for (const [mode, last] of modes)
    expect([mode, last], terminal.text().slice(-1000)).toEqual([mode, expected[mode as keyof typeof expected]])
}

/** Checks that no process of the run is left and its journal is intact. */
export async function assertSound(project: Project): Promise<void> {
  await expect.poll(() => processesOf(project.root), { timeout: patience(30_000) }).toEqual([])
  expect(verifyJournal(project.journalDir())).toMatchObject({ ok: true, problems: [] })
  expect(existsSync(join(project.journalDir(), 'lock'))).toBe(false)
}

/** Presses repeatedly, because a second press right after the first counts as its echo. */
export async function pressUntil(terminal: Terminal, done: Promise<unknown>, keys = CTRL_C): Promise<void> {
  const press = setInterval(() => terminal.type(keys), 100)
  try {
    await done
  } finally {
    clearInterval(press)
  }
}

export const story = (project: Project): readonly string[] =>
  project.events().flatMap((event) => {
    if (event.type === 'iteration.decided') return [`${event.iteration} ${event.verdict.rule}`]
    if (event.type === 'run.ended') return [`${event.outcome}/${event.ending}`]
    if (event.type === 'run.resumed') return ['resumed']
    if (event.type === 'iteration.started') return [`start ${event.iteration}.${event.attempt}`]
    return []
  })

export { noTerminal }
