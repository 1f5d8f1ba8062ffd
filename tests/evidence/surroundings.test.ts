import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { surroundings } from '../../src/evidence/baseline/surroundings.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { tamperingCheck } from '../../src/evidence/checks/tampering.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { repository, writeFiles } from './folders.ts'

interface Row {
  readonly name: string
  /** Relative to the repository. The run is in `packages/a`. */
  readonly work: Readonly<Record<string, string>>
  /** `file: part of the detail` of what blocks. */
  readonly blocks?: readonly string[]
}

const HOOK = 'def pytest_pyfunc_call(pyfuncitem):\n    return True\n'
const FIXTURE = 'import pytest\n\n\n@pytest.fixture\ndef user():\n    return 1\n'
const IGNORED = {
  'packages/a/.env': 'DATABASE_URL=postgres://me:hunter2@db/a\nNODE_OPTIONS=--max-old-space-size=4096\n',
}

const rows: readonly Row[] = [
  {
    name: 'an ignored .env that loads a file first',
    work: { 'packages/a/.env': 'DATABASE_URL=x\nNODE_OPTIONS="--require ./x.cjs"\n' },
    blocks: ['.env: This changed file decides how the tests run, and it is ignored by git.'],
  },
  {
    name: 'an ignored start-up file',
    work: { 'packages/a/local/sitecustomize.py': '', 'packages/a/local/a.py': '' },
    blocks: [],
  },
  {
    name: 'another shell for scripts, above the folder of the run',
    work: { '.npmrc': 'script-shell=./x.sh\n' },
    blocks: ['../../.npmrc: This new file decides how the tests run, and it is outside the folder of the run.'],
  },
  {
    name: 'a hook above the folder of the run',
    work: { 'conftest.py': HOOK },
    blocks: [
      '../../conftest.py: This new file gets every test from the runner and can change its result, and it is outside the folder of the run.',
    ],
  },
  {
    name: 'a hook between the two',
    work: { 'packages/conftest.py': HOOK },
    blocks: ['../conftest.py: This new file gets every test'],
  },
  {
    name: 'settings that select other tests, above',
    work: { 'pytest.toml': '[pytest]\ntestpaths = ["x"]\n' },
    blocks: ['../../pytest.toml'],
  },
  {
    name: 'another program for the tests of Rust',
    work: { '.cargo/config.toml': '[target.x]\nrunner = "./x.sh"\n' },
    blocks: ['../../.cargo/config.toml: This new file decides how the tests run'],
  },
  {
    name: 'other values in an ignored .env',
    work: { 'packages/a/.env': 'DATABASE_URL=y\nAPI_KEY=z\nNODE_OPTIONS=--max-old-space-size=8192\n' },
  },
  { name: 'fixtures above', work: { 'conftest.py': FIXTURE } },
  { name: 'a registry and a token above', work: { '.npmrc': '//registry.example/:_authToken=abc\nfund=false\n' } },
  { name: 'a document and a package above', work: { 'README.md': '# x\n', 'packages/b/conftest.py': HOOK } },
]

describe('files around the workspace', () => {
  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_name, { work, blocks = [] }) => {
    const top = repository({
      '.gitignore': '.env\nlocal/\n',
      'packages/a/src/a.py': '',
      'packages/a/tests/test_a.py': 'def test_a():\n    assert 1\n',
    })
    writeFiles(top, IGNORED)
    const workspace = openWorkspace(join(top, 'packages/a'))
    const state = join(dirname(top), 'state')
    await takeBaseline({ workspace, commands: [], evidence: {}, tree: 't', at: 1 }, state)
    const now = Date.now
    // Pretends that the folders have settled.
    Date.now = () => now() + 10_000
    await surroundings(workspace, { quick: true }).finally(() => {
      Date.now = now
    })
    writeFiles(top, work)
    expect(await surroundings(workspace, { quick: true })).toEqual(await surroundings(workspace))
    const baseline = openBaseline(state)!
    const context = { workspace, baseline, claim: true, tree: 't', taskTexts: [], deadlineMs: 60_000 }
    const [evidence] = await tamperingCheck([], async () => ({ evidence: [] })).collect(context)
    const found = (evidence?.changes ?? []).filter((each) => each.blocks)
    expect(found.map(({ file, detail }) => `${file}: ${detail}`)).toEqual(
      blocks.map((text) => expect.stringContaining(text)),
    )
    // Secrets are not stored.
    expect(readFileSync(join(state, 'baseline/baseline.json'), 'utf8')).not.toContain('hunter2')
    rmSync(state, { recursive: true })
  })
})
