import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changedSince } from '../../src/evidence/baseline/changed.ts'
import { baselineFromRevision } from '../../src/evidence/baseline/revision.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { tamperingSince } from '../../src/evidence/checks/tampering.ts'
import { collectGit } from '../../src/evidence/git.ts'
import type { Baseline } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { checkpoint } from '../../src/loop/checkpoint.ts'
import { decodeNames, fsPath } from '../../src/system/file-names.ts'
import { folder, git, repository } from './folders.ts'

const TEST = "it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n"

describe('bytes and names', () => {
  const rows: [name: string, bytes: readonly number[]][] = [
    ['ASCII', [0x61, 0x2f, 0x62]],
    ['UTF-8 of two, three and four bytes', [0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80]],
    ['the replacement character itself', [0xef, 0xbf, 0xbd]],
    ['Latin-1', [0x74, 0xe9, 0x73, 0x74]],
    ['Latin-1 next to UTF-8', [0xc3, 0xa9, 0x2f, 0xe9, 0xff]],
    ['half of a character', [0xf0, 0x9f, 0x98]],
    ['a long form of a slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xb2, 0x80]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ]
  it.each(rows)('%s survives the round trip', (_, bytes) => {
    const name = decodeNames(Buffer.from(bytes))
    expect([...Buffer.from(fsPath(name))]).toEqual(bytes)
  })

  it('different bytes give different names', () => {
    expect(decodeNames(Buffer.of(0xe9))).not.toBe(decodeNames(Buffer.of(0xe8)))
  })
})

describe('a test whose name is not UTF-8', () => {
  const name = (...last: number[]) =>
    decodeNames(Buffer.from([...Buffer.from('tests/'), ...last, ...Buffer.from('.test.js')]))
  const odd = name(0x74, 0xe9)
  const prepared = () => {
    const dir = folder()
    mkdirSync(join(dir, 'tests'))
    for (const path of [odd, name(0x74, 0xe8), 'tests/plain.test.js']) writeFileSync(fsPath(join(dir, path)), TEST)
    return dir
  }
  const committed = (dir: string) => {
    git(dir, 'init', '-q')
    git(dir, 'add', '-A')
    git(dir, 'commit', '-q', '-m', 'start')
    return dir
  }
  const taken = async (dir: string): Promise<Baseline> => {
    const input = { workspace: openWorkspace(dir), commands: [], evidence: {}, tree: '', at: 0 }
    return takeBaseline(input, folder())
  }
  it.each(['in a repository', 'without git', 'since the last commit'])(
    '%s is listed, read, and reported when it is gone',
    async (kind) => {
      const dir = kind === 'without git' ? prepared() : committed(prepared())
      const workspace = openWorkspace(dir)
      const baseline =
        kind === 'since the last commit' ? (await baselineFromRevision(workspace, 'HEAD'))! : await taken(dir)
      expect(await workspace.list()).toContain(odd)
      expect(workspace.read(odd)).toBe(TEST)
      expect(await changedSince(baseline, workspace)).toEqual([])
      rmSync(fsPath(join(dir, odd)))
      expect(await changedSince(baseline, workspace)).toEqual([odd])
      const findings = await tamperingSince(baseline, workspace, [])
      expect(findings.map(({ kind, severity, file }) => [kind, severity, file])).toEqual([
        ['test-file-deleted', 'block', odd],
      ])
    },
  )
})

describe('line breaks in the names of folders', () => {
  const inside = () => {
    const top = join(repository({ 'a.txt': 'a' }), 'new\nline')
    const dir = join(top, 'in\nner')
    mkdirSync(join(dir, 'te\nsts'), { recursive: true })
    writeFileSync(join(dir, 'te\nsts', 'a.test.js'), TEST)
    git(top, 'init', '-q')
    git(top, 'add', '-A')
    git(top, 'commit', '-q', '-m', 'start')
    return { top, dir }
  }

  it('the identity of the tree follows the content of uncommitted files', async () => {
    const { dir } = inside()
    writeFileSync(join(dir, 'b.txt'), 'one')
    const { tree } = await collectGit(dir)
    writeFileSync(join(dir, 'b.txt'), 'two')
    expect((await collectGit(dir)).tree).not.toBe(tree)
  })

  it('a changed test is detected', async () => {
    const { dir } = inside()
    const workspace = openWorkspace(dir)
    const baseline = await takeBaseline({ workspace, commands: [], evidence: {}, tree: '', at: 0 }, folder())
    writeFileSync(join(dir, 'te\nsts', 'a.test.js'), TEST.replace('it(', 'it.skip('))
    const findings = await tamperingSince(baseline, workspace, [])
    expect(findings.map(({ kind, file }) => [kind, file])).toEqual([['test-skipped', 'te\nsts/a.test.js']])
  })

  it('a new ignore rule hides nothing', async () => {
    const { dir } = inside()
    const workspace = openWorkspace(dir)
    const baseline = await takeBaseline({ workspace, commands: [], evidence: {}, tree: '', at: 0 }, folder())
    writeFileSync(join(dir, '.gitignore'), 'hid*\n')
    writeFileSync(join(dir, 'hid\nden.js'), '')
    expect(await changedSince(baseline, workspace)).toEqual(['.gitignore', 'hid\nden.js'])
  })

  it('a checkpoint contains the work', async () => {
    const { top, dir } = inside()
    writeFileSync(join(dir, 'b.txt'), 'one')
    const made = await checkpoint(dir, { run: 'r', iteration: 1, ignore: [] } as never)
    expect(made).toHaveProperty('commit')
    expect(git(top, 'ls-tree', '-r', '-z', '--name-only', (made as { commit: string }).commit)).toContain('b.txt')
  })
})
