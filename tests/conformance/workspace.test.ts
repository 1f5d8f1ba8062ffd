import { beforeAll, describe, expect, it } from 'vitest'
import type { CommandResult, Workspace } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { folder, repository, writeFiles } from '../evidence/folders.ts'
import { fakeWorkspace } from '../fakes/workspace.ts'

const files = {
  'package.json': '{"name": "a"}\n',
  'src/one.ts': 'export const one = 1\n',
  'src/with space/zwei – ü.ts': 'export const two = 2\n',
  'picture.png': 'a\0b',
  'large.txt': 'x'.repeat(2 * 1024 * 1024 + 1),
  'empty.txt': '',
}
const ignored = { 'node_modules/a/index.js': 'module.exports = 1\n' }

/** The fake's script: real commands and their results. */
const commands: Readonly<Record<string, Partial<CommandResult>>> = {
  true: {},
  'exit 3': { code: 3 },
  'echo out; echo err >&2': { output: 'out\nerr\n' },
  'kill -9 $$': { code: null },
  'echo a b': { output: 'a b\n' },
}

type Opened = { readonly workspace: Workspace; readonly git: boolean }
const makers: readonly (readonly [string, () => Opened])[] = [
  [
    'the workspace with git',
    () => {
      const dir = repository({ ...files, '.gitignore': 'node_modules/\n' })
      writeFiles(dir, ignored)
      return { workspace: openWorkspace(dir), git: true }
    },
  ],
  [
    'the workspace without git',
    () => ({ workspace: openWorkspace(folder({ ...files, '.gitignore': 'node_modules/\n', ...ignored })), git: false }),
  ],
  [
    'the fake workspace',
    () => {
      const git = { 'rev-parse --is-inside-work-tree': 'true\n' }
      return {
        workspace: fakeWorkspace({
          files: { ...files, '.gitignore': 'node_modules/\n' },
          ignored,
          runs: commands,
          git,
        }),
        git: true,
      }
    },
  ],
]

describe.each(makers)('%s', (_name, open) => {
  // No row changes anything, so one workspace serves all.
  let opened: Opened
  beforeAll(() => {
    opened = open()
  })

  const readable: [path: string, text: string | undefined][] = [
    ['package.json', '{"name": "a"}\n'],
    ['./package.json', '{"name": "a"}\n'],
    ['src/../package.json', '{"name": "a"}\n'],
    ['src/with space/zwei – ü.ts', 'export const two = 2\n'],
    ['node_modules/a/index.js', 'module.exports = 1\n'],
    ['empty.txt', ''],
    ['absent.txt', undefined],
    ['src', undefined],
    ['', undefined],
    ['.', undefined],
    ['..', undefined],
    ['../../../../../../../../etc/hostname', undefined],
    ['/etc/hostname', undefined],
    ['picture.png', undefined],
    ['large.txt', undefined],
    ['a\0b', undefined],
  ]
  it.each(readable)('reads %j', (path, text) => {
    expect(opened.workspace.read(path)).toBe(text)
  })

  it('lists files that are not ignored, sorted', async () => {
    expect(await opened.workspace.list()).toEqual(
      [
        '.gitignore',
        'empty.txt',
        'large.txt',
        'package.json',
        'picture.png',
        'src/one.ts',
        'src/with space/zwei – ü.ts',
      ].sort(),
    )
  })

  const ends: [command: string | readonly string[], expected: Partial<CommandResult>][] = [
    ['true', { code: 0, ended: 'exit', output: '', cut: 0 }],
    ['exit 3', { code: 3, ended: 'exit' }],
    ['echo out; echo err >&2', { code: 0 }],
    ['kill -9 $$', { code: null, ended: 'exit' }],
    [['echo', 'a b'], { code: 0, output: 'a b\n' }],
    ['exitgate-no-such-program', { code: 127, ended: 'exit' }],
    [
      ['exitgate-no-such-program'],
      { code: null, ended: 'not-started', problem: 'exitgate-no-such-program was not found' },
    ],
  ]
  it.each(ends)('runs %j', async (command, expected) => {
    const ran = await opened.workspace.run(command, { deadlineMs: 30_000 })
    expect(ran).toMatchObject(expected)
    expect(ran.ms).toBeGreaterThanOrEqual(0)
  })

  it('keeps both streams', async () => {
    const { output } = await opened.workspace.run('echo out; echo err >&2', { deadlineMs: 30_000 })
    expect(output.trim().split('\n').sort()).toEqual(['err', 'out'])
  })

  it('keeps standard output separately if requested', async () => {
    const deadlineMs = 30_000
    expect((await opened.workspace.run(['echo', 'a b'], { deadlineMs, separate: true })).stdout).toBe('a b\n')
    expect((await opened.workspace.run('true', { deadlineMs, separate: true })).stdout).toBe('')
    expect(await opened.workspace.run(['echo', 'a b'], { deadlineMs })).not.toHaveProperty('stdout')
  })

  const places: [cwd: string, ended: CommandResult['ended']][] = [
    ['', 'exit'],
    ['.', 'exit'],
    ['src', 'exit'],
    ['src/', 'exit'],
    ['src/with space', 'exit'],
    ['nowhere', 'not-started'],
    ['..', 'not-started'],
    ['/', 'not-started'],
  ]
  it.each(places)('runs in %j', async (cwd, ended) => {
    expect(await opened.workspace.run('true', { deadlineMs: 30_000, cwd })).toMatchObject({ ended })
  })

  it('starts nothing if it was cancelled before', async () => {
    const signal = AbortSignal.abort()
    expect(await opened.workspace.run('true', { deadlineMs: 30_000, signal })).toMatchObject({
      code: null,
      ended: 'aborted',
    })
  })

  it('uses git if there is a repository', async () => {
    const { workspace, git } = opened
    expect(await workspace.git(['rev-parse', '--is-inside-work-tree'])).toBe(git ? 'true\n' : undefined)
    expect(await workspace.git(['no-such-command'])).toBeUndefined()
  })
})
