import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project } from './run-cli.ts'

const BINARY = Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 97 + 31) % 256))
const LARGE = Buffer.alloc(4 * 1024 * 1024 + 1, 'x')
const LATIN1 = Buffer.from('R\u00e9parez les tests, s\u2019il vous pla\u00eet.\n', 'latin1')

type Content = string | Uint8Array | 'FOLDER' | 'LINK TO NOTHING' | 'PIPE' | 'UNREADABLE'
type Row = readonly [name: string, path: string, content: Content, args: readonly string[], said: string | undefined]

/** The error before the run starts, or undefined if the run starts. */
const ROWS: readonly Row[] = [
  ['a folder', 'PROMPT.md', 'FOLDER', [], 'The prompt DIR/PROMPT.md is a folder. Pass a file.'],
  ['a broken link', 'PROMPT.md', 'LINK TO NOTHING', [], 'The prompt DIR/PROMPT.md does not exist. Check the path.'],
  ['a pipe', 'PROMPT.md', 'PIPE', [], 'The prompt DIR/PROMPT.md is not a regular file. Replace it with a file.'],
  ['unreadable', 'PROMPT.md', 'UNREADABLE', [], "The prompt DIR/PROMPT.md can't be read. Check its permissions."],
  [
    'empty',
    'PROMPT.md',
    ' \n\n',
    [],
    'The prompt DIR/PROMPT.md is empty. Write what the agent should do, or remove the file.',
  ],
  ['empty, with a task', 'PROMPT.md', '', ['--task', 'fix it'], undefined],
  ['binary', 'PROMPT.md', BINARY, [], 'The prompt DIR/PROMPT.md is not text. Pass a file in UTF-8.'],
  ['in an older encoding', 'PROMPT.md', LATIN1, [], undefined],
  [
    'too large',
    'PROMPT.md',
    LARGE,
    [],
    'The prompt DIR/PROMPT.md has 4.0 MB, and the limit is 4 MB. Shorten it, or pass another file.',
  ],
  [
    'the older place, too',
    '.ralph/PROMPT.md',
    'FOLDER',
    [],
    'The prompt DIR/.ralph/PROMPT.md is a folder. Pass a file.',
  ],
  [
    'empty by name',
    'todo.md',
    '',
    ['--prompt', 'todo.md', '--task', 'fix it'],
    '--prompt DIR/todo.md is empty. Write what the agent should do, or remove the file.',
  ],
  [
    'binary by name',
    'todo.md',
    BINARY,
    ['--prompt', 'todo.md'],
    '--prompt DIR/todo.md is not text. Pass a file in UTF-8.',
  ],
  [
    'no plan',
    'other.md',
    'x',
    ['--plan', 'p.md'],
    'The plan p.md does not exist in DIR. Check the path, or leave it out.',
  ],
  ['an empty plan', 'p.md', '\n', ['--plan', 'p.md'], 'The plan DIR/p.md is empty. Add tasks to it, or leave it out.'],
  ['a binary plan', 'p.md', BINARY, ['--plan', 'p.md'], 'The plan DIR/p.md is not text. Pass a file in UTF-8.'],
  [
    'a pipe as plan',
    'p.md',
    'PIPE',
    ['--plan', 'p.md'],
    'The plan DIR/p.md is not a regular file. Pass a Markdown or JSON file, or a folder of tasks.',
  ],
  [
    'a plan folder without tasks',
    'tasks',
    'FOLDER',
    ['--plan', 'tasks'],
    'The plan DIR/tasks contains no Markdown file. Pass another folder, or a file.',
  ],
]

describe('the files run reads before it starts', () => {
  it.for(ROWS)('%s', async ([, path, content, args, said], { skip }) => {
    skip(content === 'UNREADABLE' && process.getuid?.() === 0, 'root may read everything')
    const p = project(content === 'FOLDER' ? { [`${path}/.keep`]: '' } : { [path]: 'x' })
    if (content === 'LINK TO NOTHING' || content === 'PIPE') execFileSync('rm', [`${p.dir}/${path}`])
    if (content === 'LINK TO NOTHING') symlinkSync('nowhere', `${p.dir}/${path}`)
    else if (content === 'PIPE') execFileSync('mkfifo', [`${p.dir}/${path}`])
    else if (content === 'UNREADABLE') chmodSync(`${p.dir}/${path}`, 0)
    else if (content !== 'FOLDER') p.write(path, content)
    mkdirSync(`${p.dir}/.git`)
    const ran = await p.run(['run', '--dry-run', '--test', 'true', ...args, '--', process.execPath])
    expect([ran.code, ran.stderr.replaceAll(p.dir, 'DIR')]).toEqual(
      said === undefined ? [0, ''] : [64, `error: ${said}\n`],
    )
  })
})

const NO_TASK =
  'This run was not started. The agent has no task. Pass --task "...", --prompt FILE or --plan FILE, or write PROMPT.md. If your command has its task among its own arguments, add --anyway.'

describe('a run without a task', () => {
  const rows: (readonly [name: string, args: readonly string[], said: string | undefined])[] = [
    ['nothing at all', [], NO_TASK],
    ['an empty task', ['--task', ' '], NO_TASK],
    ['a plan that is turned off', ['--no-plan'], NO_TASK],
    ['a preset whose plan is not there', ['--preset', 'ralph', '--no-plan'], NO_TASK],
    ['--anyway', ['--anyway', '--no-plan'], undefined],
    ['a task', ['--task', 'fix it'], undefined],
    ['a plan', ['--plan', 'TODO.md'], undefined],
    ['the only plan here', [], undefined],
    ['a prompt', ['--prompt', 'TODO.md', '--no-plan'], undefined],
  ]
  it.each(rows)('%s', async (name, args, said) => {
    const p = project(said === undefined || args.includes('--no-plan') ? { 'TODO.md': '- [ ] it\n' } : {})
    mkdirSync(`${p.dir}/.git`)
    const ran = await p.run(['run', '--dry-run', '--test', 'true', ...args, '--', process.execPath, '-e', 'the task'])
    expect([ran.code, ran.stderr], name).toEqual(said === undefined ? [0, ''] : [64, `error: ${said}\n`])
  })
})
