import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWorkerFolder } from '../../src/fleet/worker-folder.ts'
import { patience } from '../timing.ts'
import { program } from './program.ts'
import { runProject } from './run-project.ts'

const RUN = ['run', '--max-iterations', '1', '--', 'true']
/** Root may read and write everything, so the commands run as another user then. */
const OTHER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** A project of the user who runs the commands. */
async function projectOfOther(files: Readonly<Record<string, string>> = {}) {
  const made = runProject(files)
  mkdirSync(made.state, { recursive: true })
  if (OTHER.uid !== undefined) {
    const all = [made.root, made.temp, made.state, made.dir, join(made.dir, '.git')]
    for (const path of [...all, ...Object.keys(files).map((name) => join(made.dir, name))])
      chownSync(path, OTHER.uid, OTHER.gid)
  }
  const file = await program()
  const run = (args: readonly string[]) => {
    const options = { cwd: made.dir, env: made.env, encoding: 'utf8', timeout: patience(30_000), ...OTHER } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], options)
    return { code: status, stdout, stderr: (stderr ?? '').replaceAll(made.dir, 'DIR').replaceAll(made.root, 'ROOT') }
  }
  return { ...made, run, cannotRun: run(['--version']).code !== 0 }
}

interface Row {
  readonly name: string
  /** The unreadable path, below the project's folder. */
  readonly path: string
  readonly files?: Readonly<Record<string, string>>
  readonly commands: readonly (readonly string[])[]
  readonly said: string
}

const PLAN = { 'PLAN.md': '# Plan\n\n- [ ] one\n' }
const ROWS: readonly Row[] = [
  {
    name: 'the project',
    path: '.',
    commands: [
      RUN,
      ['check'],
      ['next'],
      ['doctor'],
      ['init'],
      ['status'],
      ['log'],
      ['config'],
      ['run', '--tasks', 'x', '--', 'true'],
    ],
    said: "The project folder DIR can't be read. Check its permissions.",
  },
  {
    name: 'PROMPT.md',
    path: 'PROMPT.md',
    files: { 'PROMPT.md': 'Make the tests pass.\n' },
    commands: [RUN, ['run', '--dry-run', '--', 'true'], ['next']],
    said: "The prompt DIR/PROMPT.md can't be read. Check its permissions.",
  },
  {
    name: 'the folder of the prompt',
    path: '.ralph',
    files: { '.ralph/PROMPT.md': 'Make the tests pass.\n', 'PROMPT.md': '' },
    commands: [['run', '--prompt', '.ralph/PROMPT.md', '--', 'true']],
    said: "--prompt DIR/.ralph/PROMPT.md can't be read. Check its permissions.",
  },
  {
    name: 'a plan that the user names',
    path: 'PLAN.md',
    files: PLAN,
    commands: [
      [...RUN.slice(0, 1), '--plan', 'PLAN.md', ...RUN.slice(1)],
      ['check', '--plan', 'PLAN.md'],
      ['next', '--plan', 'PLAN.md'],
    ],
    said: "The plan DIR/PLAN.md can't be read. Check its permissions.",
  },
  {
    name: 'a plan that exitgate finds',
    path: 'PLAN.md',
    files: PLAN,
    commands: [RUN, ['run', '--dry-run', '--', 'true'], ['next']],
    said: "The plan DIR/PLAN.md can't be read. Check its permissions, or pass --no-plan.",
  },
]

describe.skipIf(process.platform === 'win32')('unreadable places', { timeout: patience(60_000) }, () => {
  it.for(ROWS)('$name: every command says so in one sentence, and what to do', async (row, { skip }) => {
    const project = await projectOfOther(row.files)
    skip(project.cannotRun, 'no other user can run Node here')
    chmodSync(join(project.dir, row.path), 0)
    for (const args of row.commands) {
      const { code, stderr } = project.run(args)
      expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 64, `error: ${row.said}\n`])
    }
    chmodSync(join(project.dir, row.path), 0o755)
  })

  const looks: readonly (readonly [name: string, path: string, mode: number, said: RegExp])[] = [
    [
      'a project that is read-only',
      '.',
      0o555,
      /^ {2}missing project +you can't write to \S+, and neither can an agent/m,
    ],
    [
      'a prompt that nobody may read',
      'PROMPT.md',
      0,
      /^ {2}missing task +exitgate run refuses to start\n +The prompt \S+ can't be read\. Check its permissions\.$/m,
    ],
    [
      'a plan that nobody may read',
      'PLAN.md',
      0,
      /^ {2}missing task +exitgate run refuses to start\n +The plan \S+ can't be read\. Check its permissions, or/m,
    ],
    [
      'a state folder that nobody may read',
      '../state',
      0,
      /^ {2}missing state +the journal has no place\n +can't open the journal: permission denied/m,
    ],
    [
      'a state folder that is read-only',
      '../state',
      0o555,
      /^ {2}missing state +the journal has no place\n +can't open the journal: permission denied/m,
    ],
  ]
  it.for(looks)('doctor does not call %s ready', async ([, path, mode, said], { skip }) => {
    const project = await projectOfOther({ 'PROMPT.md': 'Make the tests pass.\n', ...PLAN })
    skip(project.cannotRun, 'no other user can run Node here')
    chmodSync(join(project.dir, path), mode)
    const { code, stdout } = project.run(['doctor', '--quick'])
    chmodSync(join(project.dir, path), 0o755)
    expect([code, stdout]).toEqual([2, expect.stringMatching(said)])
  })

  it.for([['status'], ['log'], ['explain'], ['report'], ['attach'], ['check']])(
    '%s names an unreadable state folder',
    async (args, { skip }) => {
      const project = await projectOfOther()
      skip(project.cannotRun, 'no other user can run Node here')
      chmodSync(project.state, 0)
      const { code, stderr } = project.run(args)
      chmodSync(project.state, 0o755)
      expect([code, stderr]).toEqual([
        70,
        expect.stringMatching(/^error: can't open the journal: permission denied for ROOT\/state\. .*\n$/),
      ])
    },
  )
})

describe.skipIf(process.platform !== 'linux')(
  'folders in /proc, where none can be made',
  { timeout: patience(60_000) },
  () => {
    const rows: readonly (readonly [args: readonly string[], env: Readonly<Record<string, string>>, said: RegExp])[] = [
      ...['claude', 'codex', 'gemini'].map(
        (name) =>
          [['hook', 'install', name, '--user'], { HOME: '/proc/no' }, /^\S+ can't be written \(ENOENT\)\.$/] as const,
      ),
      ...[RUN, ['check'], ['next'], ['doctor'], ['demo']].map(
        (args) =>
          [
            args,
            { TMPDIR: '/proc/no' },
            /^The temporary folder \/proc\/no can't be used \(ENOENT\)\. Set TMPDIR to/,
          ] as const,
      ),
    ]
    it.each(rows)('%j with %j ends at once', async (args, env, said) => {
      const { code, stderr } = await runProject().run(args, env)
      expect([code, stderr.split('\n')]).toEqual([64, [expect.stringMatching(/^error: /), '']])
      expect(stderr.slice('error: '.length, -1)).toMatch(said)
    })

    it('a worker of the fleet says so', () => {
      const said = "The folder /proc/no/workers/one can't be created (ENOENT). Pass another one with --folder."
      expect(() => openWorkerFolder('/proc/no', 'one')).toThrow(said)
    })
  },
)
