import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EventInput, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { writeCopies, writeReadableCopy } from '../../src/journal/readable-copy.ts'
import { decided, note, STUCK, stamped, started, tempFolder } from './samples.ts'

const root = tempFolder()
let folders = 0
function newWorkspace(): string {
  const workspace = join(root, String(++folders))
  mkdirSync(workspace)
  return workspace
}

const events = stamped([
  started({ task: 'two\nlines', phase: 'RED' }),
  decided(1),
  { type: 'breaker.changed', iteration: 2, from: 'half-open', to: 'open', reason: 'no progress' },
  decided(2, STUCK),
  { type: 'run.ended', outcome: 'stuck', ending: 'breaker', reason: 'no progress', iteration: 2 },
])
const state: State = events.reduce(reduce, emptyState())
const read = (workspace: string, name: string) => readFileSync(join(workspace, '.exitgate', name), 'utf8')

describe('the readable copy', () => {
  it('summarizes the current state', () => {
    const workspace = newWorkspace()
    expect(writeReadableCopy(workspace, state, events)).toEqual([])
    expect(readdirSync(join(workspace, '.exitgate')).sort()).toEqual(['.gitignore', 'STATUS.md', 'status.json'])
    expect(JSON.parse(read(workspace, 'status.json'))).toMatchObject({
      run: 'r1',
      preset: 'default',
      task: 'two\nlines',
      startedAt: '1970-01-01T00:00:01.000Z',
      iterations: 2,
      breaker: { state: 'closed' },
      last: { action: 'stop', outcome: 'stuck', rule: 'a rule', missing: ['a test'] },
      ended: { outcome: 'stuck', ending: 'breaker', at: '1970-01-01T00:00:01.004Z' },
      totals: { decisions: 2 },
    })
    expect(read(workspace, 'STATUS.md')).toBe(
      [
        '# exitgate status',
        '',
        'Written by exitgate for you to read. exitgate never reads this file.',
        '',
        '- Ended: stuck (breaker): no progress',
        '- Iterations: 2',
        '- Task: two lines',
        '- Preset: default',
        '- Breaker: closed',
        '- Last decision: 1970-01-01T00:00:01.003Z',
        '- The agent said: Größe geprüft ✓',
        '',
        '## Still missing',
        '',
        '- a test',
        '',
        '## Decisions',
        '',
        '- 1. continue by a rule: a reason',
        '- 2. stop by a rule: a reason',
        '',
        '## Also happened',
        '',
        '- 1970-01-01T00:00:01.002Z breaker half-open -> open: no progress',
        '',
      ].join('\n'),
    )
  })

  const lines: readonly [string, readonly EventInput[], string][] = [
    ['nothing yet', [], '- Now: 0 iterations decided\n'],
    [
      'a running iteration',
      [decided(1), { type: 'iteration.started', iteration: 2 }],
      '- Now: 1 iteration decided, iteration 2 is running\n',
    ],
    ['a phase', [{ type: 'phase.changed', to: 'RED', forced: true, by: 'me' }], '- Phase: RED, iteration 0\n'],
    [
      'a forced phase',
      [{ type: 'phase.changed', to: 'RED', forced: true, by: 'me' }],
      'phase none -> RED (forced by me)\n',
    ],
    ['a reset breaker', [{ type: 'breaker.reset', by: 'me', reason: 'why' }], 'breaker reset by me: why\n'],
    ['a note', [note('a # heading\n# or not')], 'Z a # heading # or not\n'],
    ['whole words of a long note', [note('word '.repeat(100))], `Z ${Array(60).fill('word').join(' ')}…\n`],
    ['the start of a long word', [note('x'.repeat(400))], `Z ${'x'.repeat(300)}…\n`],
  ]
  it.each(lines)('shows %s', (_name, events, expected) => {
    const workspace = newWorkspace()
    const some = stamped(events)
    expect(writeReadableCopy(workspace, some.reduce(reduce, emptyState()), some)).toEqual([])
    expect(read(workspace, 'STATUS.md')).toContain(expected)
  })

  it('does not change the output of git status', () => {
    const workspace = newWorkspace()
    const git = (...args: string[]) =>
      spawnSync('git', args, { cwd: workspace, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: workspace } })
    expect(git('init', '-q').status).toBe(0)
    writeReadableCopy(workspace, state)
    expect(git('status', '--porcelain', '--untracked-files=all').stdout).toBe('')
  })

  it('replaces the previous copy, and an emptied ignore file', () => {
    const workspace = newWorkspace()
    writeReadableCopy(workspace, state)
    writeFileSync(join(workspace, '.exitgate/.gitignore'), '')
    expect(writeReadableCopy(workspace, emptyState())).toEqual([])
    expect(JSON.parse(read(workspace, 'status.json'))).toMatchObject({ iterations: 0 })
    expect(read(workspace, '.gitignore')).toBe('*\n')
    expect(readdirSync(join(workspace, '.exitgate'))).toHaveLength(3)
  })

  it('writes additional files', () => {
    const workspace = newWorkspace()
    expect(writeCopies(workspace, { 'report.md': 'a report\n' })).toEqual([])
    expect(read(workspace, 'report.md')).toBe('a report\n')
  })

  const tricks: readonly [string, (inside: string, outside: string) => void, readonly string[]][] = [
    [
      'the folder is a link',
      (inside, outside) => symlinkSync(outside, inside),
      ['.exitgate was not written: it is a symbolic link'],
    ],
    [
      'the folder is a dangling link',
      (inside, outside) => symlinkSync(join(outside, 'new'), inside),
      ['.exitgate was not written: it is a symbolic link'],
    ],
    ['the folder is a file', (inside) => writeFileSync(inside, ''), ['.exitgate was not written: it is not a folder']],
    [
      'the status is a link',
      (inside, outside) => {
        mkdirSync(inside)
        symlinkSync(join(outside, 'victim'), join(inside, 'status.json'))
      },
      ['.exitgate/status.json was not written: it is a symbolic link'],
    ],
    [
      'the ignore file is a dangling link',
      (inside, outside) => {
        mkdirSync(inside)
        symlinkSync(join(outside, 'new'), join(inside, '.gitignore'))
      },
      ['.exitgate/.gitignore was not written: it is a symbolic link'],
    ],
    [
      'the status is a folder',
      (inside) => mkdirSync(join(inside, 'STATUS.md'), { recursive: true }),
      ['.exitgate/STATUS.md was not written: it is not a regular file'],
    ],
    [
      'the status is hard-linked to another file',
      (inside, outside) => {
        mkdirSync(inside)
        linkSync(join(outside, 'victim'), join(inside, 'status.json'))
      },
      [],
    ],
  ]
  it.each(tricks)('never writes outside the workspace: %s', (_name, trick, problems) => {
    const workspace = newWorkspace()
    const outside = newWorkspace()
    writeFileSync(join(outside, 'victim'), 'precious')
    trick(join(workspace, '.exitgate'), outside)
    expect(writeReadableCopy(workspace, state)).toEqual(problems)
    expect(readdirSync(outside)).toEqual(['victim'])
    expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('precious')
  })

  it('returns a problem without throwing if there is no workspace', () => {
    const gone = join(root, 'gone')
    expect(writeReadableCopy(gone, state)).toEqual(['.exitgate was not written: ENOENT: no such file or directory'])
    expect(existsSync(gone)).toBe(false)
  })
})
