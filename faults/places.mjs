// Unusual environments, each tried with run, check and hook. None may hang, print a stack trace or exit with a wrong code.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeProject, PROGRAM, stopOf } from './project.mjs'

const TIMEOUT_MS = 50_000
const RUN = ['run', '--plain', '--max-iterations', '1', '--', '/bin/sh', '-c', 'true']

/** The usual exit codes of the three commands: a limit, "continue", and an answer for the agent's CLI. */
const USUAL = { run: 2, check: 10, hook: 0 }

/**
 * One environment. `prepare` returns what is different (environment, folder, a shell line around the program), `codes` which exit
 * codes differ, and `said` what run prints then.
 */
const place = (name, prepare, codes = {}, said = /(?:)/) => ({
  name,
  async run({ dir }) {
    const project = makeProject(dir)
    const { env = {}, cwd = project.dir, shell = '"$@"', skipped } = (await prepare({ dir, project })) ?? {}
    if (skipped !== undefined) return { ok: true, skipped }
    const all = { ...project.env, ...env }
    for (const [key, value] of Object.entries(all)) if (value === undefined) delete all[key]
    const call = (args, input = '') =>
      spawnSync('/bin/sh', ['-c', shell, 'sh', process.execPath, PROGRAM, ...args], {
        ...{ cwd, env: all, input, encoding: 'utf8', timeout: TIMEOUT_MS },
      })
    const results = {
      run: call(RUN),
      check: call(['check']),
      hook: call(['hook', 'claude'], stopOf(cwd, 's', 'Done.')),
    }
    for (const [command, { status, signal, stdout, stderr }] of Object.entries(results)) {
      const text = `${stdout}${stderr}`
      const expected = codes[command] ?? USUAL[command]
      const why = [
        signal !== null && `it was ended by ${signal}`,
        status !== expected && `exit code ${status}, expected ${expected}`,
        /^ {4}at |internal error/m.test(text) && 'a stack trace or internal error',
        command === 'run' && !said.test(text) && `the output does not match ${said}`,
      ].filter(Boolean)
      if (why.length > 0) return { ok: false, detail: `${command}: ${why.join('; ')}\n${text}` }
    }
    return {
      ok: true,
      detail: `exit codes ${Object.values(results)
        .map(({ status }) => status)
        .join(', ')}`,
    }
  },
})

/** A folder with only a few programs. */
function programs(dir, names) {
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  for (const name of names) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    symlinkSync(stdout.trim(), join(bin, name))
  }
  return bin
}

const BACKWARDS = `const start = Date.now()
let calls = 0
Date.now = () => start - 60_000 * calls++
`

export const rows = [
  place('a normal environment', () => ({})),
  place('HOME does not exist', ({ dir }) => ({ env: { HOME: join(dir, 'nowhere') } })),
  place(
    'HOME is a file, and the state belongs there',
    ({ dir }) => {
      writeFileSync(join(dir, 'file'), '')
      return { env: { HOME: join(dir, 'file'), EXITGATE_STATE_DIR: undefined } }
    },
    { run: 70, check: 70 },
    /--state-dir/,
  ),
  place(
    'TMPDIR does not exist',
    ({ dir }) => ({ env: { TMPDIR: join(dir, 'nowhere') } }),
    { run: 64, check: 64 },
    /Set TMPDIR/,
  ),
  place(
    'TMPDIR is a file',
    ({ dir }) => {
      writeFileSync(join(dir, 'file'), '')
      return { env: { TMPDIR: join(dir, 'file') } }
    },
    { run: 64, check: 64 },
    /Set TMPDIR/,
  ),
  place('no PATH', () => ({ env: { PATH: undefined } })),
  place('no git', ({ dir }) => ({ env: { PATH: programs(dir, ['sh', 'printf']) } })),
  place('standard output closed', () => ({ shell: '"$@" >&-' })),
  place('standard output and error closed', () => ({ shell: '"$@" >&- 2>&-' })),
  place('standard input closed', () => ({ shell: '"$@" <&-' })),
  place('a reader that closes the pipe', () => ({
    shell: '{ "$@"; echo $? >&3; } 3> code | true; exit "$(cat code)"',
  })),
  place('TERM unset', () => ({ env: { TERM: undefined } })),
  place('TERM=dumb', () => ({ env: { TERM: 'dumb' } })),
  place('locale C', () => ({ env: { LANG: 'C', LC_ALL: 'C' } })),
  place('umask 077', () => ({ shell: 'umask 077; "$@"' })),
  place('umask 0', () => ({ shell: 'umask 0; "$@"' })),
  place('a clock that runs backwards', ({ dir }) => {
    writeFileSync(join(dir, 'back.cjs'), BACKWARDS)
    return { env: { NODE_OPTIONS: `--require=${join(dir, 'back.cjs')}` } }
  }),
  place('a path of 3,500 characters', ({ dir, project }) => {
    const cwd = join(dir, ...Array.from({ length: 17 }, () => 'd'.repeat(200)), 'work')
    mkdirSync(cwd, { recursive: true })
    cpSync(project.dir, cwd, { recursive: true })
    return { cwd }
  }),
  place('a path with spaces, quotes and special characters', ({ dir, project }) => {
    const cwd = join(dir, `it's a "place" with $HOME, ünïcode & 100 % more`)
    cpSync(project.dir, cwd, { recursive: true })
    return { cwd }
  }),
  place('a folder with a line break in its name', ({ dir, project }) => {
    const cwd = join(dir, 'two\nlines')
    cpSync(project.dir, cwd, { recursive: true })
    return { cwd }
  }),
  place('a low limit on open files', () => ({ shell: 'ulimit -n 64; "$@"' })),
  {
    name: 'terminals of 10 x 3 and 1 x 1',
    async run({ dir }) {
      const project = makeProject(dir)
      const python = spawnSync('python3', ['-c', 'import pty'])
      if (python.status !== 0) return { ok: true, skipped: 'needs python3 with the pty module' }
      const terminal = join(import.meta.dirname, '../tests/e2e/in-terminal.py')
      for (const [height, width] of [
        [3, 10],
        [1, 1],
      ]) {
        const state = ['--state-dir', join(dir, `state-${height}`)]
        const command = [PROGRAM, 'run', '--max-iterations', '1', ...state, '--', 'sh', '-c', 'echo hello']
        const { code, text } = await inTerminal([terminal, height, width, process.execPath, ...command], project)
        if (code !== 2 || /^ {4}at |internal error/m.test(text))
          return { ok: false, detail: `${width} x ${height}: exit code ${code}\n${text}` }
      }
      return { ok: true }
    },
  },
]

/** Its input stays open, because the terminal closes when it ends. */
function inTerminal(args, { dir, env }) {
  const child = spawn('python3', args.map(String), { cwd: dir, env: { ...env, TERM: 'xterm-256color' } })
  let text = ''
  child.stdout.on('data', (bytes) => {
    text += bytes
  })
  return new Promise((resolve) => {
    child.on('close', (code) => {
      child.stdin.end()
      resolve({ code, text })
    })
  })
}
