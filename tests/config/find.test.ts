import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findConfig } from '../../src/config/find.ts'
import { workspace } from './workspace.ts'

const J = 'exitgate.config.json'
type Files = Readonly<Record<string, string>>

const rows: [string, Files, string, string | undefined][] = [
  ['JSON in the workspace', { [J]: '{}' }, '.', J],
  ['YAML in the workspace', { 'exitgate.config.yaml': '' }, '.', 'exitgate.config.yaml'],
  ['the short file extension', { 'exitgate.config.yml': '' }, '.', 'exitgate.config.yml'],
  ['package.json', { 'package.json': '{"exitgate": {}}' }, '.', 'package.json'],
  [
    'a package.json that only depends on exitgate',
    { 'package.json': '{"devDependencies": {"exitgate": "1"}}' },
    '.',
    undefined,
  ],
  ['a broken package.json without an exitgate key', { 'package.json': '{"name": ' }, '.', undefined],
  ['a broken package.json with an exitgate key', { 'package.json': '{"exitgate": ' }, '.', 'package.json'],
  ['nothing', {}, '.', undefined],
  ['the parent, inside a repository', { [J]: '{}', '.git/HEAD': '', 'a/b/x': '' }, 'a/b', `../../${J}`],
  ['the root of a worktree', { [J]: '{}', '.git': 'gitdir: elsewhere', 'a/x': '' }, 'a', `../${J}`],
  ['the nearest wins', { [J]: '{}', '.git/HEAD': '', [`a/${J}`]: '{}' }, 'a', J],
  ['not above the repository', { [J]: '{}', 'a/.git/HEAD': '', 'a/b/x': '' }, 'a/b', undefined],
  ['not the parent, outside a repository', { [J]: '{}', 'a/x': '' }, 'a', undefined],
]

describe('findConfig', () => {
  it.each(rows)('%s', (_, files, from, name) => {
    const dir = join(workspace(files), from)
    const found = findConfig(dir)
    expect(found?.name).toBe(name)
    expect(found?.path).toBe(name && join(dir, name))
  })

  it('reads the requested file, wherever it is', () => {
    const dir = workspace({ 'a/x.yaml': 'files: true', [J]: '{}' })
    expect(findConfig(dir, 'a/x.yaml')).toMatchObject({ name: 'a/x.yaml', kind: 'yaml', text: 'files: true' })
    expect(findConfig(join(dir, 'a'), join(dir, J))).toMatchObject({ name: `../${J}`, kind: 'json' })
  })

  it('drops a byte order mark', () => {
    expect(findConfig(workspace({ [J]: '\uFEFF{}' }))?.text).toBe('{}')
  })
})
