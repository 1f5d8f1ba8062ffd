import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project } from './run-cli.ts'

const BINARY = Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 97 + 31) % 256))
const LARGE = Buffer.alloc(4 * 1024 * 1024 + 1, 'x')
const LATIN1 = Buffer.from('R\u00e9parez les tests, s\u2019il vous pla\u00eet.\n', 'latin1')

type Content = string | Uint8Array | 'FOLDER' | 'LINK TO NOTHING' | 'PIPE' | 'UNREADABLE'
type Row = readonly [name: string, path: string, content: Content, args: readonly string[], said: string | undefined]

/** Said before anything starts; undefined if the run starts. */
const ROWS: readonly Row[] = [
  ['a folder', 'PROMPT.md', 'FOLDER', [], 'the prompt DIR/PROMPT.md is a folder; name a file'],
  ['a link to nothing', 'PROMPT.md', 'LINK TO NOTHING', [], 'the prompt DIR/PROMPT.md does not exist; check the path'],
  [
    'a pipe',
    'PROMPT.md',
    'PIPE',
    [],
    'the prompt DIR/PROMPT.md is not a regular file; write the prompt into a file of that name',
  ],
  ['unreadable', 'PROMPT.md', 'UNREADABLE', [], 'the prompt DIR/PROMPT.md may not be read; check its permissions'],
  [
    'empty',
    'PROMPT.md',
    ' \n\n',
    [],
    'the prompt DIR/PROMPT.md is empty; write into it what the agent should do, or remove it',
  ],
  ['empty, with a task', 'PROMPT.md', '', ['--task', 'fix it'], undefined],
  ['binary', 'PROMPT.md', BINARY, [], 'the prompt DIR/PROMPT.md is not text; name a file in UTF-8'],
  ['in an older encoding', 'PROMPT.md', LATIN1, [], undefined],
  [
    'too large',
    'PROMPT.md',
    LARGE,
    [],
    'the prompt DIR/PROMPT.md has 4.0 MB; at most 4 MB are read, shorten it or name another file',
  ],
  [
    'the older place, too',
    '.ralph/PROMPT.md',
    'FOLDER',
    [],
    'the prompt DIR/.ralph/PROMPT.md is a folder; name a file',
  ],
  [
    'empty by name',
    'todo.md',
    '',
    ['--prompt', 'todo.md', '--task', 'fix it'],
    '--prompt DIR/todo.md is empty; write into it what the agent should do, or remove it',
  ],
  [
    'binary by name',
    'todo.md',
    BINARY,
    ['--prompt', 'todo.md'],
    '--prompt DIR/todo.md is not text; name a file in UTF-8',
  ],
  [
    'no plan',
    'other.md',
    'x',
    ['--plan', 'p.md'],
    'the plan p.md does not exist in DIR; check the path, or leave it out',
  ],
  [
    'an empty plan',
    'p.md',
    '\n',
    ['--plan', 'p.md'],
    'the plan DIR/p.md is empty; write the tasks into it, or leave it out',
  ],
  ['a binary plan', 'p.md', BINARY, ['--plan', 'p.md'], 'the plan DIR/p.md is not text; name a file in UTF-8'],
  [
    'a pipe as plan',
    'p.md',
    'PIPE',
    ['--plan', 'p.md'],
    'the plan DIR/p.md is not a regular file; name a Markdown or JSON file, or a folder of tasks',
  ],
  [
    'a plan folder without tasks',
    'tasks',
    'FOLDER',
    ['--plan', 'tasks'],
    'the plan DIR/tasks has no Markdown file of a task; name another folder or a file',
  ],
]

describe('what run reads before it starts', () => {
  it.for(ROWS)('%s', async ([, path, content, args, said], { skip }) => {
    skip(content === 'UNREADABLE' && process.getuid?.() === 0, 'root may read everything')
    const p = project(content === 'FOLDER' ? { [`${path}/.keep`]: '' } : { [path]: 'x' })
    if (content === 'LINK TO NOTHING' || content === 'PIPE') execFileSync('rm', [`${p.dir}/${path}`])
    if (content === 'LINK TO NOTHING') symlinkSync('nowhere', `${p.dir}/${path}`)
    else if (content === 'PIPE') execFileSync('mkfifo', [`${p.dir}/${path}`])
    else if (content === 'UNREADABLE') chmodSync(`${p.dir}/${path}`, 0)
    else if (content !== 'FOLDER') p.write(path, content)
    mkdirSync(`${p.dir}/.git`)
    const ran = await p.run(['run', '--dry-run', ...args, '--', process.execPath])
    expect([ran.code, ran.stderr.replaceAll(p.dir, 'DIR')]).toEqual(
      said === undefined ? [0, ''] : [64, `exitgate: ${said}\n`],
    )
  })
})
