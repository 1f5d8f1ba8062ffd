import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import { readEvents } from '../../src/journal/read.ts'
import { prepareRepository } from '../prepared-repository.ts'
import { program } from './program.ts'

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The start of a test script. `check NAME COMMAND...` prints a TAP line; the exit code is 0 if all passed. */
export const TAP = `trap 'echo 1..$n; exit $failed' EXIT
n=0 failed=0
check() { name=$1; shift; n=$((n + 1)); if "$@"; then echo "ok $n - $name"; else failed=1; echo "not ok $n - $name"; fi; }
echo 'TAP version 13'
`
export const HALVES = `${TAP}says_done() { text=; test -e "$1" && read -r text < "$1"; test "$text" = done; }
check 'the first half is done' says_done first.txt
check 'the second half is done' says_done second.txt
`
const NODE_TEST = `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
const read = (file) => { try { return readFileSync(new URL(file, import.meta.url), 'utf8').trim() } catch { return '' } }
test('the first half is done', () => assert.equal(read('./first.txt'), 'done'))
test('the second half is done', () => assert.equal(read('./second.txt'), 'done'))
`
/** The same tests in Node's test runner, for rows about test files and runners. It is a hundred times slower than the script. */
export const NODE_TESTS = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'halves.test.js': NODE_TEST,
}

/**
 * A small git project with real tests, and its own state and temporary folders. Its package.json names the test command. Without
 * one, the tests are a script set in the environment.
 */
export function runProject(files: Readonly<Record<string, string>> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-run-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
  const dir = join(root, 'work')
  const temp = join(root, 'tmp')
  const state = join(root, 'state')
  for (const folder of [dir, temp]) mkdirSync(folder)
  const write = (name: string, text: string): string => {
    const path = join(dir, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  const scripted = !Object.hasOwn(files, 'package.json')
  const all = { ...(scripted && { 'halves.sh': HALVES }), 'PROMPT.md': 'Make the tests pass.\n', ...files }
  for (const [name, text] of Object.entries(all)) write(name, text)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
      cwd: dir,
      encoding: 'utf8',
    })
  prepareRepository(dir, 'run', all, () => {
    git('init', '-q')
    git('add', '-A')
    git('commit', '-qm', 'start')
  })
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: root,
    EXITGATE_SANDBOX: 'off',
    TMPDIR: temp,
    EXITGATE_STATE_DIR: state,
    LANG: 'C.UTF-8',
    ...(scripted && { EXITGATE_COMMANDS_TEST: 'sh halves.sh' }),
  }

  /** Starts the real program; `done` resolves when it has ended. */
  async function start(args: readonly string[], more: Readonly<Record<string, string>> = {}, installed?: string) {
    const child = spawn(process.execPath, [installed ?? (await program()), ...args], {
      cwd: dir,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return { child, done: ended(child) }
  }

  return {
    root,
    dir,
    temp,
    state,
    env,
    write,
    git,
    start,
    /**
     * An agent outside the workspace, because it belongs to the user, not to the project. It is a shell script, which starts much faster
     * than Node, unless its name says otherwise.
     */
    agent(text: string, name = 'agent.sh'): readonly string[] {
      const path = join(root, name)
      const script = name.endsWith('.sh')
      writeFileSync(path, script ? `#!/bin/sh\n${text}\n` : text)
      chmodSync(path, 0o755)
      return script ? [path] : [process.execPath, path]
    },
    async run(...call: Parameters<typeof start>): Promise<Ran> {
      return (await start(...call)).done
    },
    /** The folder of this workspace's journal. */
    journalDir(): string {
      const [name] = readdirSync(state).filter((each) => each.startsWith('work-'))
      return join(state, name ?? 'none')
    },
    events(): readonly JournalEvent[] {
      return [...readEvents(this.journalDir())]
    },
    text: (name: string): string => readFileSync(join(dir, name), 'utf8'),
  }
}

function ended(child: ChildProcess): Promise<Ran> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout = (stdout + chunk).slice(-4_000_000)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-4_000_000)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
}

/** The JSON lines of `--json`. */
export const linesOf = (stdout: string): readonly Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Processes with the run's variables in their environment: what is left of its agents. */
export function processesOf(root: string): readonly string[] {
  if (!existsSync('/proc/self')) return throughPs(root)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${root}\0`)
      } catch {
        return false
      }
    })
}

/** Without /proc, `ps` prints each process's environment after its command. */
function throughPs(root: string): readonly string[] {
  const shown = execFileSync('ps', ['-E', '-A', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' })
  return shown.split('\n').flatMap((line) => (line.includes(` HOME=${root} `) ? line.trim().split(' ', 1) : []))
}

/** Shell commands that do all the work, wait for a file next to the workspace, and print a claim. */
export const WORK = 'printf done > first.txt; printf done > second.txt\n'
export const waitFor = (name: string): string => `while [ ! -e "$HOME/${name}" ]; do sleep 0.05; done\n`
export const CLAIM = String.raw`printf 'All done.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n'`

/** The same claim in JavaScript. */
export const NODE_CLAIM =
  'console.log("All done.\\n\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none")'
