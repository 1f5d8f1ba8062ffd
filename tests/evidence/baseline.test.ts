import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changedSince } from '../../src/evidence/baseline/changed.ts'
import { hasStat } from '../../src/evidence/baseline/file-table.ts'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { baselineFromRevision } from '../../src/evidence/baseline/revision.ts'
import { BaselineError } from '../../src/evidence/baseline/store.ts'
import type { FullBaseline } from '../../src/evidence/baseline/stored-baseline.ts'
import { type BaselineInput, storeRevision, takeBaseline } from '../../src/evidence/baseline/take.ts'
import { type Project, project } from './git-project.ts'

const start: Readonly<Record<string, string>> = {
  '.gitignore': 'dist/\n*.log\n',
  'package.json': '{"scripts":{"test":"node --test"}}\n',
  'src/add.js': 'export const add = (a, b) => a + b\n',
  'src/mul.js': 'export const mul = (a, b) => a * b\n',
  'tests/add.test.js': "import test from 'node:test'\ntest('adds', () => {})\n",
  'tests/ä b.test.js': "import test from 'node:test'\ntest('names with spaces', () => {})\n",
  'tests/__snapshots__/a.snap': 'snap\n',
  '.github/workflows/ci.yml': 'on: push\n',
  'PLAN.md': '- [ ] one\n',
}

const take = (p: Project, more: Partial<BaselineInput> = {}) =>
  takeBaseline({ workspace: p.workspace, commands: [], evidence: {}, tree: 't', at: 1, ...more }, p.state)

/** Takes the baseline while the clock shows this time. */
const takeAt = (p: Project, at: number) => {
  const now = Date.now
  Date.now = () => at
  return take(p).finally(() => {
    Date.now = now
  })
}

/** The stat of a file counts only if the file had settled; these tests cover both cases. */
function age(p: Project): void {
  const long = new Date('2024-01-01T00:00:00Z')
  for (const path of Object.keys(start)) utimesSync(join(p.dir, path), long, long)
}

type Row = [name: string, work: (p: Project) => void, changed: readonly string[]]

const rows: readonly Row[] = [
  ['nothing', () => {}, []],
  ['a modified file', (p) => p.write({ 'src/add.js': 'x' }), ['src/add.js']],
  ['a new file', (p) => p.write({ 'src/new.js': 'x' }), ['src/new.js']],
  ['a deleted file', (p) => p.remove('src/add.js'), ['src/add.js']],
  ['a staged change', (p) => [p.write({ 'src/add.js': 'x' }), p.git('add', '-A')], ['src/add.js']],
  ['a commit', (p) => [p.write({ 'src/add.js': 'x', 'n.js': '1' }), p.commit()], ['n.js', 'src/add.js']],
  ['a reverted commit', (p) => [p.write({ 'n.js': '1' }), p.commit(), p.git('revert', '--no-edit', 'HEAD')], []],
  ['a rename', (p) => p.git('mv', 'src/add.js', 'src/plus.js'), ['src/add.js', 'src/plus.js']],
  ['a name with spaces', (p) => p.write({ 'tests/ä b.test.js': '' }), ['tests/ä b.test.js']],
  ['only ignored output', (p) => p.write({ 'dist/a.js': 'x', 'a.log': 'x' }), []],
  ['a file rewritten with the same content', (p) => p.write({ 'src/add.js': start['src/add.js']! }), []],
  [
    'the same size, and the times put back',
    (p) => {
      const { atime, mtime } = statSync(join(p.dir, 'src/add.js'))
      p.write({ 'src/add.js': start['src/add.js']!.replace('a + b', 'a - b') })
      utimesSync(join(p.dir, 'src/add.js'), atime, mtime)
    },
    ['src/add.js'],
  ],
  [
    'git told to look away from a file',
    (p) => {
      p.git('update-index', '--assume-unchanged', 'src/add.js')
      p.git('update-index', '--skip-worktree', 'src/mul.js')
      p.write({ 'src/add.js': 'x', 'src/mul.js': 'x' })
    },
    ['src/add.js', 'src/mul.js'],
  ],
  [
    'a filter that shows git the old content',
    (p) => {
      p.git('config', 'filter.lie.clean', `git show HEAD:src/add.js`)
      p.write({ '.git/info/attributes': 'src/add.js filter=lie\n', 'src/add.js': 'x' })
    },
    ['src/add.js'],
  ],
  [
    'history rewritten to one commit',
    (p) => {
      p.write({ 'src/add.js': 'x' })
      p.git('checkout', '-q', '--orphan', 'fresh')
      p.commit('all new')
      p.git('branch', '-D', 'master')
      p.git('reflog', 'expire', '--expire=now', '--all')
      p.git('gc', '-q', '--prune=now')
    },
    ['src/add.js'],
  ],
  [
    'an amended commit',
    (p) => [p.write({ 'src/add.js': 'x' }), p.git('commit', '-qa', '--amend', '-m', 'same')],
    ['src/add.js'],
  ],
  ['the repository removed', (p) => [p.remove('.git'), p.write({ 'src/add.js': 'x' })], ['src/add.js']],
  ['a new repository', (p) => [p.remove('.git'), p.git('init', '-q'), p.write({ 'n.js': 'x' }), p.commit()], ['n.js']],
  [
    'removed from the index, and ignored',
    (p) => [p.git('rm', '-q', '--cached', 'src/add.js'), p.write({ '.git/info/exclude': 'src\n' })],
    [],
  ],
  [
    'a new file behind a new rule',
    (p) => p.write({ '.git/info/exclude': 'vitest.config.js\n', 'vitest.config.js': 'x' }),
    ['vitest.config.js'],
  ],
  [
    'a new file behind a new rule, after many that old rules ignore',
    (p) => {
      for (let index = 0; index < 450; index++) writeFileSync(join(p.dir, `a${index}.log`), '')
      p.write({ '.git/info/exclude': 'vitest.config.js\n', 'vitest.config.js': 'x' })
    },
    ['vitest.config.js'],
  ],
  [
    'a new folder that hides itself',
    (p) => p.write({ 'more/.gitignore': '*\n', 'more/a.js': 'x' }),
    ['more/.gitignore', 'more/a.js'],
  ],
  ['a cache that hides itself', (p) => p.write({ '.pytest_cache/.gitignore': '*\n', '.pytest_cache/a.py': 'x' }), []],
  [
    'a rule file of the agent for everything',
    (p) => [
      p.git('config', 'core.excludesFile', join(p.dir, '../mine')),
      writeFileSync(join(p.dir, '../mine'), 'n.js\n'),
      p.write({ 'n.js': 'x' }),
    ],
    ['n.js'],
  ],
  [
    'an old rule in a changed rule file',
    (p) => p.write({ '.gitignore': 'dist/\n*.log\nout/\n', 'dist/a.js': 'x', 'out/b.js': 'x' }),
    ['.gitignore', 'out/b.js'],
  ],
  [
    'an ignored file put under git all the same',
    (p) => [p.write({ 'dist/a.test.js': 'x' }), p.git('add', '-f', 'dist/a.test.js')],
    ['dist/a.test.js'],
  ],
  [
    'a folder replaced by a link to its copy',
    (p) => [renameSync(join(p.dir, 'src'), join(p.dir, '../src')), symlinkSync('../src', join(p.dir, 'src'))],
    ['src'],
  ],
  [
    'a file replaced by a link to its copy',
    (p) => [
      renameSync(join(p.dir, 'src/add.js'), join(p.dir, '../add.js')),
      symlinkSync('../../add.js', join(p.dir, 'src/add.js')),
    ],
    ['src/add.js'],
  ],
  [
    'a file replaced by a folder',
    (p) => [p.remove('src/add.js'), p.write({ 'src/add.js/a.js': 'x' })],
    ['src/add.js', 'src/add.js/a.js'],
  ],
  [
    'a file replaced by a pipe',
    (p) => {
      p.remove('src/add.js')
      expect(spawnSync('mkfifo', [join(p.dir, 'src/add.js')]).status).toBe(0)
    },
    ['src/add.js'],
  ],
  [
    'our own copies, once nothing ignores them',
    (p) => [p.remove('.git'), p.write({ '.exitgate/status.json': '{}' })],
    [],
  ],
  ['what was ignored, once nothing ignores it', (p) => p.remove('.git'), []],
]

const settled = ({ table }: FullBaseline) => table.paths.filter((_, row) => hasStat(table, row))

describe('what changed since the baseline', () => {
  it.each(rows)('%s, files just written', async (_name, work, changed) => {
    const before = Date.now()
    const p = project(start)
    p.write({ 'old.log': 'x', 'dist/old.js': 'x' })
    const baseline = await takeAt(p, before)
    expect(settled(baseline)).toEqual([])
    work(p)
    expect(await changedSince(baseline, p.workspace)).toEqual(changed)
  })

  it.each(rows)('%s, files long settled', async (_name, work, changed) => {
    const p = project(start)
    p.write({ 'old.log': 'x', 'dist/old.js': 'x' })
    age(p)
    const baseline = await takeAt(p, Date.now() + 10_000)
    expect(settled(baseline)).toEqual(Object.keys(start).sort())
    work(p)
    expect(await changedSince(openBaseline(p.state)!, p.workspace)).toEqual(changed)
    // Git's status shows the same.
    expect(await changedSince(openBaseline(p.state)!, p.workspace, await p.workspace.look?.())).toEqual(changed)
  })

  const without: readonly Row[] = rows.filter(([, work]) => !/git|\.git/.test(String(work)))
  it.each(without.filter(([name]) => name !== 'only ignored output' && name !== 'a commit'))(
    '%s, without git',
    async (_name, work, changed) => {
      const p = project(start, { git: false })
      const baseline = await take(p)
      work(p)
      expect(await changedSince(baseline, p.workspace)).toEqual(changed)
    },
  )
})

describe('a baseline taken of a dirty tree', () => {
  const dirty = async () => {
    const p = project(start)
    p.write({ 'src/add.js': 'dirty', 'notes.txt': 'untracked', 'src/staged.js': 'staged' })
    p.git('add', 'src/staged.js')
    p.remove('src/mul.js')
    return { p, baseline: await take(p) }
  }

  it('records the tree, not the commit', async () => {
    const { p, baseline } = await dirty()
    expect(await changedSince(baseline, p.workspace)).toEqual([])
    p.git('checkout', '--', 'src/add.js', 'src/mul.js')
    p.remove('notes.txt')
    expect(await changedSince(baseline, p.workspace)).toEqual(['notes.txt', 'src/add.js', 'src/mul.js'])
  })

  it('keeps uncommitted changes', async () => {
    const { p } = await dirty()
    p.remove('.git', 'src/add.js', 'notes.txt', 'src/staged.js')
    const again = openBaseline(p.state)!
    expect(['src/add.js', 'notes.txt', 'src/staged.js', 'src/mul.js'].map(again.read)).toEqual([
      'dirty',
      'untracked',
      'staged',
      undefined,
    ])
  })
})

describe('original texts', () => {
  it.each(Object.keys(start))('%s survives when everything else is gone', async (path) => {
    const p = project(start)
    await take(p)
    rmSync(p.dir, { recursive: true })
    expect(openBaseline(p.state)!.read(path)).toBe(start[path])
  })

  const limits = { totalBytes: 1_000_000, fileBytes: 1_000_000, code: 1 }

  it('of much code come from the git object, even if the history is gone', async () => {
    const p = project(start)
    const baseline = await take(p, { limits })
    p.write({ 'src/add.js': 'x', 'src/mul.js': 'y' })
    p.git('checkout', '-q', '--orphan', 'fresh')
    p.commit('all new')
    baseline.preload(['src/add.js', 'src/mul.js', 'src/none.js'])
    expect([baseline.read('src/add.js'), baseline.read('src/none.js')]).toEqual([start['src/add.js'], undefined])
    p.git('branch', '-D', 'master')
    p.git('reflog', 'expire', '--expire=now', '--all')
    p.git('gc', '-q', '--prune=now')
    expect(openBaseline(p.state)!.read('src/mul.js')).toBeUndefined()
  })

  it('of much code come from the file itself while it is unchanged', async () => {
    const p = project(start)
    const baseline = await take(p, { limits })
    p.remove('.git')
    expect(baseline.read('src/mul.js')).toBe(start['src/mul.js'])
    p.write({ 'src/mul.js': 'x' })
    expect(baseline.read('src/mul.js')).toBeUndefined()
  })

  it('do not come from a replaced object', async () => {
    const p = project(start)
    const baseline = await take(p, { limits })
    p.write({ 'src/add.js': 'false\n' })
    p.git('replace', baseline.files['src/add.js']!, p.git('hash-object', '-w', 'src/add.js'))
    expect(baseline.read('src/add.js')).toBe(start['src/add.js'])
  })

  it('are kept within limits, the most important first, with a list of those left out', async () => {
    const p = project({ ...start, 'tests/long.test.js': 'x'.repeat(400), 'tests/data/a.txt': 'y'.repeat(150) })
    const baseline = await take(p, { limits: { totalBytes: 330, fileBytes: 300 } })
    expect(baseline.notKept).toEqual(
      ['tests/long.test.js', 'tests/__snapshots__/a.snap', 'tests/data/a.txt'].filter((path) =>
        baseline.notKept.includes(path),
      ),
    )
    expect(baseline.notKept).toContain('tests/long.test.js')
    expect(baseline.notKept).toContain('tests/data/a.txt')
    rmSync(p.dir, { recursive: true })
    expect(baseline.read('package.json')).toBe(start['package.json'])
    expect(baseline.read('tests/add.test.js')).toBe(start['tests/add.test.js'])
  })

  it('are kept of source files that contain tests', async () => {
    const p = project({ 'src/lib.rs': '#[cfg(test)]\nmod tests {}\n', 'src/other.rs': 'fn a() {}\n' })
    const baseline = await take(p, { limits })
    rmSync(p.dir, { recursive: true })
    expect([baseline.read('src/lib.rs'), baseline.read('src/other.rs')]).toEqual([
      '#[cfg(test)]\nmod tests {}\n',
      undefined,
    ])
  })

  it('are kept of a commit, so that a new repository changes nothing', async () => {
    const p = project(start)
    const from = (await baselineFromRevision(p.workspace, 'HEAD'))!
    p.write({ 'src/add.js': 'x' })
    await storeRevision(p.workspace, from, p.state)
    p.remove('.git')
    expect(openBaseline(p.state)!.read('src/add.js')).toBe(start['src/add.js'])
  })

  it('are kept of the configured plan', async () => {
    const p = project({ 'docs/what next.txt': 'later' })
    const baseline = await take(p, { keep: ['docs/what next.txt'] })
    rmSync(p.dir, { recursive: true })
    expect(baseline.read('docs/what next.txt')).toBe('later')
  })
})

describe('the store', () => {
  it('returns what was stored', async () => {
    const p = project(start)
    const tests = {
      passed: 1,
      failed: 0,
      skipped: 0,
      total: 1,
      ok: true,
      framework: 'x',
      tests: [{ name: 'a', state: 'passed' as const }],
    }
    const evidence = { tests: { check: 'tests', answer: 'yes' as const, detail: 'd', ms: 1, tree: 't' } }
    const commands = [{ kind: 'test' as const, command: 'npm test', cwd: '', why: 'w' }]
    const included = new Map([['.env', Buffer.from('A=1\n')]])
    const room = { use: true, build: true } as const
    const taken = await take(p, { tests, evidence, commands, head: 'abc', at: 7, included, room })
    const opened = openBaseline(p.state, { expect: taken.id })!
    const data = (of: FullBaseline) => {
      return { ...of, read: 0, bytes: 0, preload: 0, dependencies: of.dependencies?.(), included: of.included?.() }
    }
    expect(data(opened)).toEqual(data(taken))
    expect(opened).toMatchObject({ tests, evidence, commands, head: 'abc', at: 7, tree: 't', problems: [], room })
    expect(opened.included?.()).toEqual(included)
  })

  it('is readable only by the user', async () => {
    const p = project(start)
    await take(p)
    const folder = join(p.state, 'baseline')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toHaveLength(2)
  })

  it('contains one baseline, the last one', async () => {
    const p = project(start)
    await take(p)
    p.write({ 'src/add.js': 'later' })
    const second = await take(p, { at: 2 })
    expect(readdirSync(join(p.state, 'baseline'))).toHaveLength(2)
    expect(openBaseline(p.state)).toMatchObject({ id: second.id, at: 2 })
  })

  it('is undefined if none was taken', () => {
    expect(openBaseline(join(project({}, { git: false }).state, 'none'))).toBeUndefined()
  })

  it('warns if the agent can reach it', async () => {
    const p = project(start)
    const baseline = await takeBaseline(
      { workspace: p.workspace, commands: [], evidence: {}, tree: '', at: 1 },
      join(p.dir, '.exitgate/state'),
    )
    expect(baseline.problems).toEqual([expect.stringContaining('the agent can reach it')])
  })

  it('handles paths like __proto__', async () => {
    const p = project({ __proto__: 'a', constructor: 'b' } as Record<string, string>)
    p.write(Object.fromEntries([['__proto__', 'a']]))
    const baseline = await take(p)
    expect(Object.keys(baseline.files).sort()).toEqual(['__proto__', 'constructor'])
    expect(openBaseline(p.state)!.read('__proto__')).toBe('a')
    expect(openBaseline(p.state)!.read('toString')).toBeUndefined()
  })
})

describe('a manipulated baseline', () => {
  const record = (p: Project) => join(p.state, 'baseline', 'baseline.json')
  const copies = (p: Project) =>
    join(p.state, 'baseline', readdirSync(join(p.state, 'baseline')).find((name) => name.endsWith('.bin'))!)
  const damage: [name: string, work: (p: Project) => void, said: RegExp][] = [
    [
      'a changed byte',
      (p) => writeFileSync(record(p), readFileSync(record(p), 'utf8').replace('"at":1', '"at":2')),
      /damaged/,
    ],
    ['an emptied record', (p) => truncateSync(record(p)), /damaged/],
    ['half a record', (p) => truncateSync(record(p), 200), /damaged/],
    ['no JSON', (p) => writeFileSync(record(p), 'hello\n'), /damaged/],
    [
      'a newer version',
      (p) => writeFileSync(record(p), readFileSync(record(p), 'utf8').replace('"v":3', '"v":4')),
      /newer exitgate/,
    ],
    ['a record removed', (p) => rmSync(record(p)), /its record is gone/],
    ['a folder in its place', (p) => [rmSync(record(p)), mkdirSync(record(p))], /cannot be read/],
    [
      'a link in its place',
      (p) => [renameSync(record(p), `${p.state}/x`), symlinkSync(`${p.state}/x`, record(p))],
      /cannot be read/,
    ],
  ]
  it.each(damage)('%s is reported, even to a process that has read it before', async (_name, work, said) => {
    const p = project(start)
    await take(p)
    expect(openBaseline(p.state)).toBe(openBaseline(p.state))
    work(p)
    expect(() => openBaseline(p.state)).toThrow(BaselineError)
    expect(() => openBaseline(p.state)).toThrow(said)
  })

  const bad: [name: string, work: (p: Project) => void][] = [
    ['changed', (p) => writeFileSync(copies(p), readFileSync(copies(p), 'utf8').replaceAll('adds', 'ADDS'))],
    ['cut short', (p) => truncateSync(copies(p), 10)],
    ['gone', (p) => rmSync(copies(p))],
  ]
  it.each(bad)('copies that are %s are not read', async (_name, work) => {
    const p = project(start)
    await take(p)
    work(p)
    const opened = openBaseline(p.state)!
    expect(() => opened.read('tests/add.test.js')).toThrow(/copy of tests\/add\.test\.js/)
  })

  it('is reported if it is gone or replaced', async () => {
    const p = project(start)
    const { id } = await take(p)
    expect(openBaseline(p.state, { expect: id })?.id).toBe(id)
    await take(p, { at: 99 })
    expect(() => openBaseline(p.state, { expect: id })).toThrow(/not the one/)
    rmSync(join(p.state, 'baseline'), { recursive: true })
    expect(() => openBaseline(p.state, { expect: id })).toThrow(/is gone/)
  })
})

it('reads a baseline stored by version 1', async () => {
  const p = project(start)
  age(p)
  const { table } = await take(p, { at: 1 })
  const file = join(p.state, 'baseline', 'baseline.json')
  const recorded = JSON.parse(readFileSync(file, 'utf8').split('\n')[1]!)
  const stat = (path: string) => {
    const { size, mtimeMs, ctimeMs, ino } = statSync(join(p.dir, path))
    return [size, mtimeMs, ctimeMs, ino]
  }
  // One of them had not settled.
  const files = table.paths.map((path, row) => [path, [table.ids[row], ...(path === 'src/mul.js' ? [] : stat(path))]])
  const body = `${JSON.stringify({ ...recorded, files: Object.fromEntries(files) })}\n`
  const sha256 = createHash('sha256').update(body).digest('hex')
  writeFileSync(file, `${JSON.stringify({ format: 'exitgate-baseline', v: 1, sha256 })}\n${body}`)
  const old = openBaseline(p.state, { expect: sha256 })!
  expect([old.files, settled(old)]).toEqual([
    Object.fromEntries(table.paths.map((path, row) => [path, table.ids[row]])),
    Object.keys(start)
      .filter((path) => path !== 'src/mul.js')
      .sort(),
  ])
  p.write({ 'src/mul.js': 'x', 'src/new.js': 'x' })
  expect(await changedSince(old, p.workspace)).toEqual(['src/mul.js', 'src/new.js'])
})

describe('a baseline made from a commit', () => {
  it('shows the work of a branch, committed or not', async () => {
    const p = project({ ...start, 'crlf.txt': 'a\nb\n' })
    p.write({ 'src/add.js': 'x' })
    p.commit()
    p.write({ 'src/new.js': 'x' })
    const baseline = (await baselineFromRevision(p.workspace, 'HEAD~1'))!
    expect(await changedSince(baseline, p.workspace)).toEqual(['src/add.js', 'src/new.js'])
    expect(baseline.read('src/add.js')).toBe(start['src/add.js'])
    expect(baseline.head).toBe(p.git('rev-parse', 'HEAD~1'))
    expect(baseline.at).toBe(Date.parse('2024-01-01T00:00:00Z'))
    // With other line endings it is still the same content.
    p.write({ 'crlf.txt': 'a\r\nb\r\n' })
    expect(await changedSince(baseline, p.workspace)).toEqual(['src/add.js', 'src/new.js'])
  })

  it.each(['nowhere', '--help', 'HEAD:src'])('%s is not a commit', async (revision) => {
    expect(await baselineFromRevision(project(start).workspace, revision)).toBeUndefined()
  })

  it('accepts a folder of the repository as the workspace', async () => {
    const p = project({ 'pkg/a/x.js': '1', 'pkg/b/y.js': '2', '.gitignore': 'out\n' })
    const { openWorkspace } = await import('../../src/evidence/workspace.ts')
    const workspace = openWorkspace(join(p.dir, 'pkg/a'))
    const before = await takeBaseline({ workspace, commands: [], evidence: {}, tree: '', at: 1 }, p.state)
    const commit = (await baselineFromRevision(workspace, 'HEAD'))!
    p.write({ 'pkg/a/x.js': '3', 'pkg/b/y.js': '3', 'pkg/a/out/z.js': '', 'pkg/a/n.js': '' })
    expect(Object.keys(before.files)).toEqual(['x.js'])
    expect(await changedSince(before, workspace)).toEqual(['n.js', 'x.js'])
    expect(await changedSince(commit, workspace)).toEqual(['n.js', 'x.js'])
    expect([before.read('x.js'), commit.read('x.js')]).toEqual(['1', '1'])
  })
})

describe('odd trees', () => {
  it('line endings that git converts are not a change', async () => {
    const p = project({ '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'one\r\ntwo\r\n' })
    const baseline = await take(p)
    p.write({ 'a.txt': 'one\r\ntwo\r\n' })
    expect(await changedSince(baseline, p.workspace)).toEqual([])
    p.write({ 'a.txt': 'one\r\nthree\r\n' })
    expect(await changedSince(baseline, p.workspace)).toEqual(['a.txt'])
  })

  it('a repository with SHA-256 object ids', async () => {
    const p = project({}, { git: false })
    p.git('init', '-q', '--object-format=sha256')
    p.write({ 'a.js': '1', 'b.js': '2' })
    p.commit()
    p.write({ 'c.js': '3' })
    const baseline = await take(p)
    expect(Object.values(baseline.files).every((id) => /^[0-9a-f]{64}$/.test(id))).toBe(true)
    p.write({ 'a.js': 'x' })
    expect(await changedSince(baseline, p.workspace)).toEqual(['a.js'])
    expect(baseline.read('a.js')).toBe('1')
  })

  it('a file that was unreadable and still is', async () => {
    const p = project(start)
    p.remove('src/add.js')
    spawnSync('mkfifo', [join(p.dir, 'src/add.js')])
    const baseline = await take(p)
    expect(existsSync(join(p.dir, 'src/add.js'))).toBe(true)
    expect(await changedSince(baseline, p.workspace)).toEqual([])
  })

  it('an unreadable file counts as changed', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root reads everything, whatever its permissions')
    const p = project(start)
    const baseline = await take(p)
    chmodSync(join(p.dir, 'tests/add.test.js'), 0)
    expect(await changedSince(baseline, p.workspace)).toEqual(['tests/add.test.js'])
  })

  it('an empty workspace', async () => {
    const p = project({}, { git: false })
    const baseline = await take(p)
    expect([baseline.files, await changedSince(baseline, p.workspace)]).toEqual([{}, []])
  })

  it('a repository without a commit', async () => {
    const p = project({}, { git: false })
    p.git('init', '-q')
    p.write({ 'a.js': '1' })
    const baseline = await take(p)
    p.write({ 'a.js': '2', 'b.js': '' })
    expect(await changedSince(baseline, p.workspace)).toEqual(['a.js', 'b.js'])
    expect(baseline.read('a.js')).toBe('1')
  })
})
