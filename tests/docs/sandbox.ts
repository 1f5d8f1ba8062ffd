import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import { program } from '../e2e/program.ts'
import { root } from '../source-tree.ts'
import { writePrograms } from './scripted-programs.ts'

export interface Ran {
  readonly code: number | null
  /** Both streams, in order. */
  readonly output: string
}

export interface Sandbox {
  readonly home: string
  readonly dir: string
  write(name: string, text: string): void
  /** A program in TypeScript that imports the library. */
  program(text: string): Promise<Ran>
  /** Lines of shell; the first one that fails ends them. */
  shell(lines: string): Promise<Ran>
  /** The same in a new sandbox. They run once: later sandboxes get a copy of what they left, and of what they printed. */
  begin(lines: string): Promise<Ran>
  /** The same, while a run is active in the same project. */
  duringRun(lines: string): Promise<Ran>
}

/** The built program, with the files of the package that it looks for next to itself. */
async function packagedProgram(): Promise<string> {
  const file = await program()
  const above = join(dirname(file), '..', '..')
  for (const name of ['package.json', 'sample', 'docs'])
    if (!existsSync(join(above, name))) cpSync(join(root, name), join(above, name), { recursive: true })
  return file
}

const ENV = { LANG: 'C.UTF-8', NO_COLOR: '1', GIT_CONFIG_NOSYSTEM: '1' }

/** The reader of a page, who types the one-time code where the program asks for it. */
const PERSON = `#!/bin/sh
case "$1" in
  force | accept | skip | goal | trust) ;;
  *) exec exitgate-program "$@" ;;
esac
told=$(mktemp)
exitgate-program "$@" 2> "$told"
code=$?
file=$(sed -n 's/.*a code was written to \\(.*\\)\\. Repeat the command.*/\\1/p' "$told")
if [ -n "$file" ]; then
  code=$(head -n 1 "$file")
  rm "$told"
  exec exitgate-program "$@" --code "$code"
fi
cat "$told" >&2
rm "$told"
exit $code
`

/** The folders of this process. Every sandbox has the same path, because the state of a run contains it. */
let place: string | undefined
let template: Promise<string> | undefined
const begun = new Map<string, Ran & { readonly left: string }>()
afterAll(() => {
  if (place !== undefined) rmSync(place, { recursive: true, force: true, maxRetries: 3 })
})

const copy = (from: string, to: string): void => {
  rmSync(to, { recursive: true, force: true, maxRetries: 3 })
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}

/** The sample project in a git repository with its own home folder, with exitgate and the scripted agents on the path. */
async function makeTemplate(home: string): Promise<string> {
  const dir = join(home, 'project')
  const bin = join(home, 'bin')
  mkdirSync(bin, { recursive: true })
  for (const name of ['PLAN.md', 'PROMPT.md', 'package.json', 'src', 'test'])
    cpSync(join(root, 'sample', name), join(dir, name), { recursive: true })
  const put = (name: string, script: string): void => writeFileSync(join(bin, name), script, { mode: 0o755 })
  // A configuration in code and the programs of the pages import the library by its name.
  mkdirSync(join(home, 'node_modules'))
  symlinkSync(root, join(home, 'node_modules', 'exitgate'))
  symlinkSync(join(root, 'node_modules', 'ai'), join(home, 'node_modules', 'ai'))
  put('exitgate-program', `#!/bin/sh\nexec '${process.execPath}' '${await packagedProgram()}' "$@"\n`)
  put('exitgate', PERSON)
  writePrograms(bin, join(home, '..', 'scripted'))
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = You\n\temail = you@localhost\n[init]\n\tdefaultBranch = main\n',
  )
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
  ])
    execFileSync('git', args, { cwd: dir, env: { ...ENV, PATH: process.env.PATH, HOME: home }, stdio: 'ignore' })
  return home
}

/** A copy of the prepared project. It replaces the previous sandbox. */
export async function openSandbox(): Promise<Sandbox> {
  place ??= realpathSync(mkdtempSync(join(tmpdir(), 'docs-')))
  const folder = place
  template ??= makeTemplate(join(folder, 'template'))
  const home = join(folder, 'home')
  copy(await template, home)
  const dir = join(home, 'project')
  const env = {
    ...ENV,
    PATH: [join(home, 'bin'), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    EXITGATE_SANDBOX: 'off',
    TMPDIR: home,
  }

  const start = (lines: string) => {
    const child = spawn('bash', ['-e', '-c', `exec 2>&1\n${lines}`], {
      cwd: dir,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    const done = new Promise<Ran>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        output += piece
      })
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, output }))
    })
    return { child, done }
  }

  return {
    home,
    dir,
    write(name, text) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    },
    async program(text) {
      // Few pages need the compiler, which takes long to load.
      const { asJavaScript } = await import('../api/packed.ts')
      writeFileSync(join(home, 'program.mjs'), asJavaScript(text))
      return start(`node '${home}/program.mjs'`).done
    },
    shell: (lines) => start(lines).done,
    async begin(lines) {
      const known = begun.get(lines)
      if (known !== undefined) copy(known.left, home)
      const ran = known ?? { ...(await start(lines).done), left: join(folder, `left-${begun.size}`) }
      if (known === undefined) copy(home, ran.left)
      begun.set(lines, ran)
      return ran
    },
    async duringRun(lines) {
      const run = start('exitgate run --json --allow-remote-control -- waiting-agent')
      await new Promise<void>((resolve, reject) => {
        run.child.stdout.on('data', (piece: string) => {
          if (piece.includes('"type":"iteration"')) resolve()
        })
        void run.done.then(({ output }) => reject(new Error(`the run ended too early: ${output}`)), reject)
      })
      try {
        return await start(lines).done
      } finally {
        writeFileSync(join(home, 'go'), '')
        await run.done
      }
    },
  }
}
