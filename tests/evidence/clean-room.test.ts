import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import type { ConfigPatch } from '../../src/core/config.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { Answer, Evidence, EvidenceSet } from '../../src/core/types.ts'
import { gather, gatherBaseline } from '../../src/evidence/gather.ts'
import { chooseSandbox } from '../../src/system/sandbox/choose.ts'
import type { SandboxSetup } from '../../src/system/sandbox/enter.ts'
import { patience } from '../timing.ts'
import { git, writeFiles } from './folders.ts'
import { ONE_NODE } from './red-proof/proving.ts'

const chosen = chooseSandbox({ mode: 'auto', env: process.env })
const noSandbox = chosen.sandbox === undefined ? chosen.why : undefined
const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-clean-room-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const has = (program: string) => spawnSync(program, ['--version']).status === 0
const missing = (...programs: string[]) => {
  const first = programs.find((program) => !has(program))
  return first === undefined ? undefined : `${first} is not installed`
}

interface Row {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** Files that git ignores, there before the first iteration. */
  readonly ignored?: Readonly<Record<string, string>>
  readonly prepare?: (dir: string) => void
  /** What the agent does. */
  readonly agent: (dir: string) => void
  readonly config?: ConfigPatch
  /** Without a repository. */
  readonly plain?: true
  /** The folder of the repository in which the run takes place. */
  readonly cwd?: string
  readonly needs?: string | undefined
  readonly answer: Answer
  /** What other checks answer. */
  readonly others?: Readonly<Record<string, Partial<Evidence>>>
  /** Not in a clean room, for this reason. */
  readonly inPlace?: RegExp
  /** Where the copy is makes a difference, so it runs with the sandbox and without. */
  readonly both?: true
  /** A sentence at the start. */
  readonly atStart?: RegExp
}

const TEST = `const test = require('node:test')\nconst assert = require('node:assert')\n`
const sum = (body: string) => `exports.sum = (a, b) => ${body}\n`
const node = {
  'package.json': JSON.stringify({ name: 'p', version: '1.0.0', scripts: { test: 'node --test' } }),
  '.gitignore': 'node_modules/\ndist/\ntarget/\n__pycache__/\n.venv/\n*.local\n.env\ngenerated/\n',
  'sum.js': sum('a - b'),
  'sum.test.js': `${TEST}const { sum } = require('./sum.js')\ntest('adds', () => assert.strictEqual(sum(1, 2), 3))\n`,
}
/** The same in sh, which starts fifty times as fast as Node: for rows about files, not about a language. */
const shellSum = (body: string) => `sum() { ${body}; }\n`
const shell = (...checks: readonly string[]) => ({
  '.gitignore': node['.gitignore'],
  'sum.sh': shellSum('echo $(($1 - $2))'),
  'test.sh': `trap 'echo 1..$n; exit $failed' EXIT
n=0 failed=0
check() { name=$1; shift; n=$((n + 1)); if "$@"; then echo "ok $n - $name"; else failed=1; echo "not ok $n - $name"; fi; }
adds() ( . ./sum.sh; test "$(sum 1 2)" = 3 )
echo 'TAP version 13'
${['check adds adds', ...checks].join('\n')}
`,
})
const DATA = 'data() ( . ./sum.sh; test "$(sum 1 2)" = "$(cat generated/data)" )'
const put = (files: Readonly<Record<string, string>>) => (dir: string) => writeFiles(dir, files)
const fix = put({ 'sum.js': sum('a + b') })
const fixShell = put({ 'sum.sh': shellSum('echo $(($1 + $2))') })
const withBuild = (name: string) => ({
  'package.json': JSON.stringify({
    name: 'p',
    version: '1.0.0',
    scripts: { test: 'node --test', build: `mkdir -p dist && cp ${name} dist/${name}` },
  }),
})

const rows: readonly Row[] = [
  { both: true, name: 'honest work', files: node, agent: fix, answer: 'yes' },
  { name: 'honest work without git', files: shell(), plain: true, agent: fixShell, answer: 'yes' },
  {
    name: 'work that is not done',
    files: shell(),
    agent: put({ 'sum.sh': shellSum('echo $(($1 * $2))') }),
    answer: 'no',
  },
  {
    both: true,
    name: 'an ignored file that fakes the result',
    files: shell(),
    agent: put({ 'answer.local': '3', 'sum.sh': shellSum('cat answer.local') }),
    answer: 'no',
  },
  {
    name: 'a package planted in node_modules, and a product that calls it',
    files: shell(),
    agent: put({ 'sum.sh': '. ./dist/sum.sh\n', 'dist/sum.sh': shellSum('echo $(($1 + $2))') }),
    answer: 'no',
  },
  {
    name: 'a local .env that was there before',
    files: shell("check 'has settings' grep -q URL .env"),
    ignored: { '.env': 'URL=local\n' },
    agent: fixShell,
    answer: 'yes',
  },
  {
    both: true,
    name: 'a local .env that the agent wrote',
    files: shell(),
    agent: put({ '.env': '3', 'sum.sh': shellSum('cat .env') }),
    answer: 'no',
  },
  {
    name: 'generated code that was there before',
    files: shell('check generated test -e generated/api.js'),
    ignored: { 'generated/api.js': 'exports.api = 1\n' },
    agent: fixShell,
    answer: 'yes',
    atStart: /need files that git ignores.*generated\/api\.js.*evidence\.include/,
  },
  {
    name: 'an ignored file that a failing test needs, when no test passes',
    files: shell(DATA, 'check data data'),
    ignored: { 'generated/data': '3' },
    agent: fixShell,
    answer: 'yes',
    atStart: /need files that git ignores.*generated\/data.*evidence\.include/,
  },
  {
    name: 'an ignored file that a failing test needs, too large to copy',
    files: shell(DATA, 'check data data'),
    ignored: { 'generated/data': `3${'\n'.repeat(3_000_000)}` },
    agent: fixShell,
    answer: 'yes',
    inPlace: /fail for another reason in a copy.*generated\/data: No such file/,
    atStart: /not in a clean room: .*generated\/data: No such file.*evidence\.include/,
  },
  {
    name: 'tests that fail for the same reason everywhere',
    files: shell('check missing cat nowhere'),
    agent: (dir) => {
      fixShell(dir)
      writeFiles(dir, { nowhere: '' })
    },
    answer: 'yes',
  },
  {
    name: 'a test in quarantine that fails only in the room',
    files: shell('check network test -e dist/online'),
    ignored: { 'dist/online': '' },
    config: { evidence: { quarantine: [{ test: 'network', until: '2999-01-01', reason: 'the network' }] } },
    agent: fixShell,
    answer: 'yes',
  },
  {
    name: 'named ignored files, as they were at the start',
    files: shell("check generated grep -q 'api = 1' generated/api.js"),
    ignored: { 'generated/api.js': 'exports.api = 1\n' },
    config: { evidence: { include: ['generated/**'] } },
    agent: put({ 'sum.sh': shellSum('echo $(($1 + $2))'), 'generated/api.js': 'exports.api = 2\n' }),
    answer: 'yes',
  },
  {
    both: true,
    name: 'tests of build output, with a build command',
    files: {
      ...shell(),
      ...withBuild('sum.sh'),
      'test.sh': shell('zero() ( . ./sum.sh; test "$(sum 0 0)" = 0 )', 'check zero zero')['test.sh'].replaceAll(
        './sum.sh',
        './dist/sum.sh',
      ),
    },
    ignored: { 'dist/sum.sh': shellSum('echo $(($1 - $2))') },
    agent: put({ 'sum.sh': shellSum('echo $(($1 + $2))'), 'dist/sum.sh': shellSum('echo NaN') }),
    answer: 'yes',
  },
  {
    name: 'checks that change the source of build output build it again',
    files: {
      ...node,
      ...withBuild('sum.js'),
      'sum.js': sum('a + b'),
      'sum.test.js': `${TEST}const { sum } = require('./dist/sum.js')\ntest('adds', () => assert.strictEqual(sum(1, 2), 3))\n`,
    },
    ignored: { 'dist/sum.js': sum('a + b') },
    config: { evidence: { mutation: 'changed' } },
    agent: put({
      'sum.js': `${sum('a + b')}exports.twice = (a) => a * 2\n`,
      'twice.test.js': `${TEST}const { twice } = require('./dist/sum.js')\ntest('doubles', () => assert.strictEqual(twice(4), 8))\n`,
    }),
    answer: 'yes',
    others: { proven: { counts: { proves: 1 } }, mutation: { counts: { killed: 3, survived: 0 } } },
  },
  {
    name: 'tests that need build output nobody can build',
    files: shell('check built test -e dist/api.js'),
    ignored: { 'dist/api.js': 'exports.api = 1\n' },
    agent: fixShell,
    answer: 'yes',
    inPlace: /1 test passes in the project but not in a copy without ignored files, such as "built"/,
    atStart: /not in a clean room.*evidence\.include/,
  },
  {
    name: 'a clean room that is required, where the tests need build output',
    files: shell('check built test -e dist/api.js'),
    ignored: { 'dist/api.js': 'exports.api = 1\n' },
    config: { evidence: { cleanRoom: 'required' } },
    agent: fixShell,
    answer: 'no',
  },
  {
    name: 'a clean room that is turned off',
    files: shell(),
    config: { evidence: { cleanRoom: 'off' } },
    agent: put({ 'answer.local': '3', 'sum.sh': shellSum('cat answer.local') }),
    answer: 'yes',
    inPlace: /turned off/,
  },
  {
    both: true,
    name: 'a link out of the project',
    files: shell(),
    agent: (dir) => {
      writeFileSync(join(dirname(dir), 'outside.sh'), shellSum('echo $(($1 + $2))'))
      unlinkSync(join(dir, 'sum.sh'))
      symlinkSync('../outside.sh', join(dir, 'sum.sh'))
    },
    answer: 'no',
  },
  {
    name: 'a folder of sources that became a link into an ignored folder',
    files: {
      ...shell(),
      'test.sh': shell()['test.sh'].replace('./sum.sh', './lib/sum.sh'),
      'lib/sum.sh': shellSum('echo $(($1 - $2))'),
    },
    agent(dir) {
      writeFiles(dir, { 'dist/lib/sum.sh': shellSum('echo $(($1 + $2))') })
      rmSync(join(dir, 'lib'), { recursive: true })
      symlinkSync('dist/lib', join(dir, 'lib'))
    },
    answer: 'no',
  },
  {
    name: 'a file that nobody can copy',
    files: shell(),
    needs: process.getuid?.() === 0 ? 'root can read every file' : undefined,
    agent(dir) {
      fixShell(dir)
      writeFileSync(join(dir, 'notes.txt'), 'secret', { mode: 0 })
    },
    answer: 'yes',
  },
  {
    name: 'a link inside the project',
    files: shell(),
    agent: (dir) => {
      writeFileSync(join(dir, 'real.sh'), shellSum('echo $(($1 + $2))'))
      unlinkSync(join(dir, 'sum.sh'))
      symlinkSync('real.sh', join(dir, 'sum.sh'))
    },
    answer: 'yes',
  },
  {
    both: true,
    name: 'a workspace with packages of its own',
    files: {
      ...node,
      'package.json': JSON.stringify({
        name: 'm',
        version: '1.0.0',
        workspaces: ['packages/*'],
        scripts: { test: 'node --test packages/b' },
      }),
      'sum.test.js': '',
      'packages/a/package.json': JSON.stringify({ name: '@m/a', version: '1.0.0', main: 'a.js' }),
      'packages/a/a.js': sum('a - b'),
      'packages/b/b.test.js': `${TEST}const { sum } = require('@m/a')\nconst dep = require('dep')\ntest('adds', () => assert.strictEqual(dep(sum(1, 2)), 3))\n`,
    },
    ignored: {
      'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0"}',
      'node_modules/dep/index.js': "module.exports = require('other')",
      'node_modules/other/index.js': 'module.exports = (x) => x',
    },
    prepare(dir) {
      mkdirSync(join(dir, 'node_modules/@m'), { recursive: true })
      symlinkSync('../../packages/a', join(dir, 'node_modules/@m/a'))
    },
    agent: put({ 'packages/a/a.js': sum('a + b') }),
    answer: 'yes',
  },
  {
    both: true,
    name: 'a folder of a larger repository',
    files: {
      'shared/base.txt': '0\n',
      ...inFolder('app', shell('check base grep -q 0 ../shared/base.txt')),
    },
    cwd: 'app',
    agent: (dir) => fixShell(dir),
    answer: 'yes',
  },
  {
    name: 'Python with bytecode that fakes the result',
    needs: missing('python3'),
    files: {
      '.gitignore': '__pycache__/\n',
      'calc.py': 'def add(a, b):\n    return a - b\n',
      'test_calc.py':
        'import unittest, calc\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n',
    },
    config: { commands: { test: 'python3 -m unittest -v' } },
    agent(dir) {
      const fake =
        'import py_compile\npy_compile.compile("good.py", cfile="__pycache__/calc." + __import__("sys").implementation.cache_tag + ".pyc", dfile="calc.py", invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\n'
      writeFiles(dir, { 'good.py': 'def add(a, b):\n    return a + b\n', 'calc.py': 'def add(a, b):\n    return 0\n' })
      mkdirSync(join(dir, '__pycache__'), { recursive: true })
      spawnSync('python3', ['-c', fake], { cwd: dir })
      rmSync(join(dir, 'good.py'))
    },
    answer: 'no',
  },
  {
    both: true,
    name: 'Python with an editable install in .venv',
    needs: missing('python3'),
    files: {
      '.gitignore': '.venv/\n__pycache__/\n*.egg-info/\n',
      'pyproject.toml': '[project]\nname = "calc"\nversion = "1"\n',
      'src/calc/__init__.py': 'def add(a, b):\n    return a - b\n',
      'tests/test_calc.py':
        'import unittest, calc\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n',
    },
    config: { commands: { test: '.venv/bin/python -m unittest discover -v -s tests' } },
    prepare(dir) {
      spawnSync('python3', ['-m', 'venv', '--without-pip', '.venv'], { cwd: dir })
      const site = spawnSync(join(dir, '.venv/bin/python'), ['-c', 'import site; print(site.getsitepackages()[0])'], {
        encoding: 'utf8',
      }).stdout.trim()
      writeFileSync(join(site, '__editable__.calc-1.pth'), `${join(dir, 'src')}\n`)
    },
    agent: put({ 'src/calc/__init__.py': 'def add(a, b):\n    return a + b\n' }),
    answer: 'yes',
  },
  {
    name: 'Rust with a test binary planted in target/',
    needs: missing('cargo'),
    files: {
      '.gitignore': 'target/\n',
      'Cargo.toml': '[package]\nname = "sums"\nversion = "1.0.0"\nedition = "2021"\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sums"\nversion = "1.0.0"\n',
      'src/lib.rs': RUST('a - b'),
    },
    config: { commands: { test: 'cargo test --offline --lib' } },
    agent(dir) {
      writeFiles(dir, { 'src/lib.rs': RUST('a + b') })
      spawnSync('cargo', ['test', '--offline', '--lib', '--no-run'], { cwd: dir })
      const long = new Date(1_000_000)
      writeFiles(dir, { 'src/lib.rs': RUST('a * b') })
      utimesSync(join(dir, 'src/lib.rs'), long, long)
    },
    answer: 'no',
  },
  {
    name: 'Go, honestly',
    needs: missingGo(),
    files: {
      'go.mod': 'module example.test/sums\n\ngo 1.19\n',
      'sums.go': 'package sums\n\nfunc Add(a, b int) int { return a - b }\n',
      'sums_test.go':
        'package sums\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    config: { commands: { test: 'go test -v ./...' } },
    agent: put({ 'sums.go': 'package sums\n\nfunc Add(a, b int) int { return a + b }\n' }),
    answer: 'yes',
  },
]

function missingGo(): string | undefined {
  return spawnSync('go', ['version']).status === 0 ? undefined : 'go is not installed'
}

function RUST(body: string): string {
  return `pub fn add(a: i32, b: i32) -> i32 {\n    ${body}\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n`
}

function inFolder(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
}

interface Claimed {
  readonly evidence: EvidenceSet
  readonly atStart: readonly string[]
}

/** Takes a baseline, lets the agent work, and gathers the evidence of its claim. */
async function claimOf(row: Row, sandboxed: boolean): Promise<Claimed> {
  const place = mkdtempSync(join(root, 'p'))
  const [top, stateDir] = [join(place, 'work space'), join(place, 'state/one')]
  mkdirSync(top)
  writeFiles(top, row.files)
  const dir = join(top, row.cwd ?? '')
  if (row.plain !== true) {
    git(top, 'init', '-q')
    git(top, 'add', '-A')
    git(top, 'commit', '-q', '-m', 'start')
  }
  writeFiles(dir, row.ignored ?? {})
  row.prepare?.(dir)
  const test = existsSync(join(dir, 'test.sh')) ? 'sh test.sh' : ONE_NODE
  const config = configure({ ...row.config, commands: { test, ...row.config?.commands } })
  const sandbox: SandboxSetup | undefined =
    sandboxed && chosen.sandbox !== undefined
      ? { sandbox: chosen.sandbox, workspace: dir, hidden: [dirname(stateDir)], read: [], write: [], network: 'all' }
      : undefined
  const options = { dir, config, checks: policyFor(config).checks, stateDir, sandbox, taskTexts: [], ignore: [], at: 1 }
  const { baselineId = '', problems: atStart } = await gatherBaseline({ ...options, claim: false })
  row.agent(dir)
  const { evidence } = await gather({ ...options, claim: true, baselineId })
  return { evidence, atStart }
}

describe.each([
  ['in a sandbox', true],
  ['without a sandbox', false],
] as const)('a claim %s', (_, sandboxed) => {
  it.for(
    rows.filter(({ both }) => sandboxed || both || noSandbox !== undefined).map((row) => [row.name, row] as const),
  )('%s', { timeout: patience(60_000) }, async ([, row], { skip }) => {
    skip(row.needs !== undefined, row.needs)
    skip(sandboxed && noSandbox !== undefined, noSandbox)
    const { evidence, atStart } = await claimOf(row, sandboxed)
    const { tests } = evidence
    expect(tests?.answer, `${tests?.detail}\n${atStart.join('\n')}`).toBe(row.answer)
    if (row.others !== undefined) expect(evidence).toMatchObject(row.others)
    if (row.atStart !== undefined) expect(atStart.join('\n')).toMatch(row.atStart)
    else expect(atStart).toEqual([])
    const ranIn = tests?.ranIn
    expect(ranIn?.cleanRoom, ranIn?.why).toBe(row.inPlace === undefined)
    if (row.inPlace !== undefined) expect(ranIn?.why).toMatch(row.inPlace)
    expect(ranIn?.sandbox).toBe(sandboxed ? chosen.sandbox?.name : undefined)
  })
})

it('before the first iteration, failing tests run three times in the room and once in the project', async () => {
  const log = join(root, 'runs')
  const { evidence } = await claimOf(
    {
      name: '',
      files: shell(`pwd >> ${log}`),
      agent: fixShell,
      config: { evidence: { canary: false } },
      answer: 'yes',
    },
    false,
  )
  expect(evidence.tests?.answer, evidence.tests?.detail).toBe('yes')
  const inProject = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((folder) => folder.startsWith(root))
  // Three times, then once in the project. On the claim: A, what the fixed test does without the change, and the second run.
  expect(inProject).toEqual([false, false, false, true, ...Array.from({ length: inProject.length - 4 }, () => false)])
  expect(inProject.length).toBeLessThanOrEqual(9)
})
