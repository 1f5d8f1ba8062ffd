import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Diagnosis } from '../../src/reports/doctor-text.ts'
import { project } from './run-cli.ts'

const PATH = process.env.PATH ?? ''
const git = (dir: string, ...args: string[]) => {
  const done = spawnSync('git', args, { cwd: dir, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
}
const vitest = { 'package.json': '{"scripts": {"test": "vitest run", "build": "tsc"}}', 'node_modules/x.js': '' }

async function doctor(files: Record<string, string>, env: Record<string, string> = {}, prepare = (_dir: string) => {}) {
  const own = project(files)
  prepare(own.dir)
  const done = await own.run(['doctor', '--json', '--quick'], { PATH, ...env })
  return { ...done, diagnosis: done.json as unknown as Diagnosis, dir: own.dir }
}
const thing = ({ things }: Diagnosis, name: string) => things.find((each) => each.name === name)!

describe('exitgate doctor', () => {
  it('is ready if a test command was found', async () => {
    const { code, diagnosis } = await doctor(vitest, {}, (dir) => git(dir, 'init', '-q'))
    expect(code).toBe(0)
    expect(diagnosis.ready).toBe(true)
    expect(diagnosis.things.map(({ name, state }) => [name, state])).toEqual([
      ['node', 'good'],
      ['git', 'good'],
      ['folder', 'good'],
      ['state', 'good'],
      ['configuration', 'good'],
      ['limits', 'good'],
      ['sandbox', 'note'],
    ])
    expect(diagnosis.commands[0]).toMatchObject({ kind: 'test', command: 'npm test', runner: 'vitest', state: 'good' })
    expect(diagnosis.commands[1]).toMatchObject({ kind: 'build', command: 'npm run build', state: 'good' })
  })

  const rows: [name: string, files: Record<string, string>, env: Record<string, string>, remedy: RegExp][] = [
    [
      'an empty project',
      { 'README.md': '' },
      {},
      /Pass --test "\.\.\." or set commands\.test in exitgate\.config\.json\.$/,
    ],
    [
      'a configuration in YAML',
      { 'exitgate.config.yaml': 'required: []\n' },
      {},
      /commands\.test in exitgate\.config\.yaml\.$/,
    ],
    [
      'a configuration in package.json',
      { 'package.json': '{"exitgate": {"required": []}}' },
      {},
      /or set exitgate\.commands\.test in package\.json\.$/,
    ],
    [
      "npm's placeholder script",
      { 'package.json': '{"scripts": {"test": "echo no test && exit 1"}}' },
      {},
      /^No test command/,
    ],
    ['a missing program', { 'mix.exs': '' }, { PATH: '/nowhere' }, /^Install mix, or set another command\.$/],
    [
      'a broken configuration',
      { ...vitest, 'exitgate.config.json': '{"presett": 1}' },
      {},
      /^Fix the configuration\. `exitgate config` lists every value\.$/,
    ],
  ]
  it.each(rows)('explains what to do about %s', async (_name, files, env, remedy) => {
    const { code, diagnosis } = await doctor(files, env)
    expect(code).toBe(2)
    expect(diagnosis.ready).toBe(false)
    expect(diagnosis.remedy).toMatch(remedy)
  })

  it('reports missing programs', async () => {
    const { diagnosis } = await doctor({ 'package.json': '{"scripts": {"test": "jest"}}' }, { PATH: '/nowhere' })
    expect(thing(diagnosis, 'git')).toMatchObject({ state: 'note', text: 'not installed' })
    expect(diagnosis.commands[0]).toMatchObject({ state: 'bad', text: 'npm not found' })
  })

  it('suggests installing packages', async () => {
    const { code, diagnosis } = await doctor(
      { 'package.json': '{"scripts": {"test": "jest"}}', 'pnpm-lock.yaml': '' },
      { PATH: `${PATH}:.` },
      (dir) => {
        spawnSync('sh', ['-c', 'printf "#!/bin/sh\\n" > pnpm && chmod +x pnpm'], { cwd: dir })
      },
    )
    expect(diagnosis.commands[0]).toMatchObject({ state: 'note', remedy: 'If it needs packages, run pnpm install.' })
    expect(code).toBe(0)
  })

  it.each([
    ['declares none', {}, 'good'],
    ['has an empty list of them', { dependencies: {} }, 'good'],
    ['declares some', { devDependencies: { tool: '1' } }, 'note'],
  ])('says nothing about packages in a project that needs none: it %s', async (_name, more, state) => {
    const { diagnosis } = await doctor({
      'package.json': JSON.stringify({ scripts: { test: 'node --test' }, ...more }),
    })
    expect(diagnosis.commands[0]).toMatchObject({ state })
  })

  it('suggests installing a Python module', async () => {
    const { code, diagnosis } = await doctor(
      { 'pytest.ini': '', '.venv/pyvenv.cfg': '', '.venv/bin/python': '#!/bin/sh\nexit 1\n' },
      {},
      (dir) => chmodSync(join(dir, '.venv/bin/python'), 0o755),
    )
    expect(diagnosis.commands[0]).toMatchObject({ state: 'bad', text: '.venv/bin/python has no module pytest' })
    expect(diagnosis.remedy).toBe('Install it: .venv/bin/python -m pip install pytest')
    expect(code).toBe(2)
  })

  it('shows how it reads test results', async () => {
    const results = async (files: Record<string, string>) => (await doctor(files)).diagnosis.commands[0]!.results
    expect(await results(vitest)).toMatch(/^test runner vitest: results are read from a report \(npm test -- .*REPORTS/)
    expect(await results({ 'package.json': '{"scripts": {"test": "vitest run && true"}}' })).toBe(
      'test runner vitest: results are read from its output',
    )
    expect(await results({ Makefile: 'test:\n' })).toBe('unknown test runner: results are read from its output')
  })

  it('recognizes worktrees, submodules, subfolders and folders without git', async () => {
    const own = project(vitest)
    const text = async (dir: string) => {
      const done = await own.run(['doctor', '--json', '--quick', '--dir', dir], { PATH })
      return thing(done.json as unknown as Diagnosis, 'folder').text
    }
    expect(await text(own.dir)).toBe(`${own.dir}: not a git repository`)
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always']
    git(own.dir, 'init', '-q')
    git(own.dir, ...identity, 'commit', '-q', '--allow-empty', '-m', 'x')
    git(own.dir, 'worktree', 'add', '-q', join(own.root, 'tree'))
    git(own.dir, ...identity, 'submodule', '--quiet', 'add', join(own.root, 'tree'), 'sub')
    expect(await text(own.dir)).toBe(`${own.dir}: a git repository`)
    expect(await text(join(own.root, 'tree'))).toBe(`${join(own.root, 'tree')}: a worktree of a git repository`)
    expect(await text(join(own.dir, 'sub'))).toBe(`${join(own.dir, 'sub')}: a submodule`)
    own.write('packages/a/x', '')
    const inner = join(own.dir, 'packages/a')
    expect(await text(inner)).toBe(`${inner}: a folder in a git repository at ${own.dir}`)
  })

  it('uses the configuration', async () => {
    const { code, diagnosis } = await doctor({
      ...vitest,
      'exitgate.config.json': '{"commands": {"test": "sh run.sh"}}',
    })
    expect(code).toBe(0)
    expect(diagnosis.commands[0]).toMatchObject({
      command: 'sh run.sh',
      why: 'set in the configuration',
      state: 'good',
    })
  })

  it('warns if the journal is in the workspace', async () => {
    const own = project(vitest)
    const done = await own.run(['doctor', '--json', '--quick', '--state-dir', join(own.dir, 'state')], { PATH })
    expect(thing(done.json as unknown as Diagnosis, 'state')).toMatchObject({ state: 'note' })
  })

  it('prints a readable summary', async () => {
    const own = project({ ...vitest, 'web/go.mod': '' })
    const { code, stdout } = await own.run(['doctor', '--quick'], { PATH })
    const shown = stdout
      .replaceAll(own.root, 'ROOT')
      .replaceAll(process.versions.node, 'NODE')
      .replace(/git( +)[\d.]+.*/, 'git$1GIT')
    expect(code).toBe(0)
    expect(shown).toContain('  ok      node           NODE\n')
    expect(shown).toContain('  note    folder         ROOT/work: not a git repository\n          Run git init')
    expect(shown).toContain('  commands in 2 folders\n')
    expect(shown).toContain(
      '  ok      test           npm test\n          package.json has a script "test" that runs vitest\n',
    )
    expect(shown).toContain('(in web)\n          found web/go.mod')
    expect(shown.endsWith('Ready: exitgate can verify work here.\n')).toBe(true)
    expect(stdout).not.toContain('\u001b')
  })

  it('has a help page', async () => {
    expect((await project().run(['doctor', '--help'])).stdout).toContain('Usage: exitgate doctor')
  })
})
