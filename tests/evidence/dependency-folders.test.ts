import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dependencyFolders } from '../../src/evidence/baseline/dependency-folders.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { folder, repository, writeFiles } from './folders.ts'

const IGNORE = 'node_modules\n.venv\nmy-env\nphp/vendor\nruby/vendor\nbuild\n'

interface Row {
  readonly name: string
  /** Committed. */
  readonly files: Readonly<Record<string, string>>
  /** Ignored, or written later. */
  readonly installed: Readonly<Record<string, string>>
  /** The workspace inside the repository. */
  readonly at?: string
  readonly git?: false
  /** `kind path lock`, relative to the repository. */
  readonly found: readonly string[]
}

const PYTHON = { 'app.py': '', 'uv.lock': '' }
const rows: readonly Row[] = [
  { name: 'no dependencies', files: { 'a.js': '' }, installed: { 'build/a.js': '' }, found: [] },
  {
    name: 'one package',
    files: { 'package.json': '{}', 'package-lock.json': '{}' },
    installed: { 'node_modules/a/index.js': '' },
    found: ['node node_modules package-lock.json'],
  },
  {
    name: 'packages of a monorepo share a lock file',
    files: { 'pnpm-lock.yaml': '', 'packages/a/package.json': '{}', 'packages/b/src/deep/b.js': '' },
    installed: {
      'node_modules/x/i.js': '',
      'packages/a/node_modules/y/i.js': '',
      'packages/b/node_modules/z/i.js': '',
    },
    found: [
      'node node_modules pnpm-lock.yaml',
      'node packages/a/node_modules pnpm-lock.yaml',
      'node packages/b/node_modules pnpm-lock.yaml',
    ],
  },
  {
    name: 'a workspace inside a repository',
    files: { 'yarn.lock': '', 'packages/a/package.json': '{}', 'packages/b/package.json': '{}' },
    installed: {
      'node_modules/x/i.js': '',
      'packages/a/node_modules/y/i.js': '',
      'packages/b/node_modules/z/i.js': '',
    },
    at: 'packages/a',
    found: ['node node_modules yarn.lock', 'node packages/a/node_modules yarn.lock'],
  },
  {
    name: 'virtual environments by their content',
    files: PYTHON,
    installed: { '.venv/pyvenv.cfg': '', 'my-env/pyvenv.cfg': '', 'build/lib/app.py': '' },
    found: ['python .venv uv.lock', 'python my-env uv.lock'],
  },
  {
    name: 'vendor folders of PHP and Ruby',
    files: { 'php/composer.json': '{}', 'ruby/Gemfile': '', 'go/go.sum': '', 'go/vendor/x/x.go': '' },
    installed: { 'php/vendor/autoload.php': '', 'ruby/vendor/bundle/ruby/a.rb': '' },
    found: ['php php/vendor php/composer.json', 'ruby ruby/vendor ruby/Gemfile'],
  },
  {
    name: 'without git',
    git: false,
    files: { 'package.json': '{}', 'src/a.js': '' },
    installed: { 'node_modules/a/index.js': '', 'src/node_modules/b/index.js': '' },
    found: ['node node_modules ', 'node src/node_modules '],
  },
]

const show = (top: string, { kind, path, lock }: { kind: string; path: string; lock?: string }) =>
  `${kind} ${relative(top, path)} ${lock === undefined ? '' : relative(top, lock)}`

describe('folders with installed dependencies', () => {
  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_name, { files, installed, at, git, found }) => {
    const all = { '.gitignore': IGNORE, ...files }
    const top = git === false ? folder(all) : repository(all)
    writeFiles(top, installed)
    const folders = await dependencyFolders(openWorkspace(join(top, at ?? '')), { HOME: '/nowhere' })
    expect(folders.map((each) => show(top, each))).toEqual(found)
  })

  it('a linked folder, an active environment elsewhere, and packages of the user', async () => {
    const top = repository({ '.gitignore': IGNORE, 'app.py': '' })
    const place = dirname(top)
    writeFiles(place, { 'shared/a/index.js': '', 'env/pyvenv.cfg': '' })
    mkdirSync(join(place, 'home/.local/lib/python3.11/site-packages'), { recursive: true })
    symlinkSync(join(place, 'shared'), join(top, 'node_modules'))
    const env = { HOME: join(place, 'home'), VIRTUAL_ENV: join(place, 'env') }
    const folders = await dependencyFolders(openWorkspace(top), env)
    expect(folders.map(({ kind, path, real }) => [kind, relative(place, path), relative(place, real)])).toEqual([
      ['node', relative(place, join(top, 'node_modules')), 'shared'],
      ['python', 'env', 'env'],
      ['python', 'home/.local/lib/python3.11/site-packages', 'home/.local/lib/python3.11/site-packages'],
    ])
  })
})
