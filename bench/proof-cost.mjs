// Counts how often tests run for a claim. Each project has tests that write a line when they run. A scripted agent makes one change
// and claims. One suite is as many lines as the project has tests, so 4.5 suites means that each test ran 4.5 times on average.
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, round } from './median.mjs'

export const name = 'proof-cost'
export const about = 'how often each test runs for a claim, by test runner'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PROGRAM = join(ROOT, 'dist/cli/cli.cjs')
const PACKAGES = [join(ROOT, 'node_modules'), join(ROOT, '.tools/runners/node_modules')]
const CLAIM = 'EXIT_STATUS: COMPLETE\nEXIT_REASON: The change is there.\nREMAINING_WORK: none\n'
/** Test files, and tests in each. */
const FILES = 8
const EACH = 3
const DEADLINE_MS = 5 * 60_000

/** What the agent changes, and whether the run should complete. `added` is a test file; `broken` makes the existing tests fail. */
const CLAIMS = [
  { claim: 'a feature with its test', product: true, added: true, completes: true },
  { claim: 'broken code', broken: true, added: true, completes: false },
  { claim: 'no change', completes: false },
]

const numbers = (count) => Array.from({ length: count }, (_, at) => at)
/** Files of `FILES` test files, each from its number and the bodies of its tests. */
const files = (make) => Object.fromEntries(numbers(FILES).map((file) => make(file)))
const lines = (make) => numbers(EACH).map(make).join('\n')

/** JavaScript runners differ in their imports and settings. */
const javascript = (head, settings = {}) => ({
  files: (log) => ({
    'double.mjs': 'export const double = (n) => n * 2\n',
    ...files((file) => [`test/double-${file}.test.mjs`, jsTests(head, log, file, 'double', './../double.mjs')]),
    ...settings,
  }),
  product: { 'triple.mjs': 'export const triple = (n) => n * 3\n' },
  broken: { 'double.mjs': 'export const double = (n) => n + 2\n' },
  added: (log) => ({ 'test/triple.test.mjs': jsTests(head, log, 'new', 'triple', './../triple.mjs') }),
})

const jsTests = (head, log, file, name, from) => `${head}
import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { ${name} } from '${from}'
${lines(
  (n) => `test('${name} ${file} ${n}', () => {
  appendFileSync(${JSON.stringify(log)}, process.cwd() + '\\n')
  assert.equal(${name}(${n} + 5), (${n} + 5) * ${name === 'double' ? 2 : 3})
})`,
)}
`

const pyTests = (log, file, name) => `from ${name} import ${name}
import os
${lines(
  (n) => `
def test_${name}_${file}_${n}():
    with open(${JSON.stringify(log)}, 'a') as log:
        log.write(os.getcwd() + '\\n')
    assert ${name}(${n} + 5) == (${n} + 5) * ${name === 'double' ? 2 : 3}
`,
)}`

const goTests = (log, file, name) => `package sums

import (
\t"os"
\t"testing"
)
${lines(
  (n) => `
func Test${name}${file}x${n}(t *testing.T) {
\tlog, _ := os.OpenFile(${JSON.stringify(log)}, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
\tdir, _ := os.Getwd()
\tlog.WriteString(dir + "\\n")
\tlog.Close()
\tif ${name}(${n}+5) != (${n}+5)*${name === 'Double' ? 2 : 3} {
\t\tt.Fatal("wrong")
\t}
}`,
)}
`

const rustTests = (log, file, name) => `use std::io::Write;
use sums::${name};
${lines(
  (n) => `
#[test]
fn ${name}_${file}_${n}() {
    let mut log = std::fs::OpenOptions::new().append(true).create(true).open(${JSON.stringify(log)}).unwrap();
    let line = format!("{}\\n", std::env::current_dir().unwrap().display());
    log.write_all(line.as_bytes()).unwrap();
    assert_eq!(${name}(${n} + 5), (${n} + 5) * ${name === 'double' ? 2 : 3});
}`,
)}
`

/** `double` is a word of rspec. */
const rubyTests = (log, file, name) => `require_relative '../${name}'
RSpec.describe '${name} ${file}' do
${lines(
  (n) => `  it 'case ${n}' do
    File.open(${JSON.stringify(log)}, 'a') { |log| log.puts Dir.pwd }
    expect(${name}(${n} + 5)).to eq((${n} + 5) * ${name === 'twofold' ? 2 : 3})
  end`,
)}
end
`

const RUNNERS = [
  { runner: 'node:test', command: 'node --test', ...javascript("import test from 'node:test'") },
  { runner: 'vitest', command: 'npx vitest run', package: 'vitest', ...javascript("import { test } from 'vitest'") },
  {
    runner: 'jest',
    command: 'node --experimental-vm-modules node_modules/jest/bin/jest.js',
    package: 'jest',
    ...javascript('', { 'jest.config.json': '{ "testMatch": ["**/*.test.mjs"], "transform": {} }\n' }),
  },
  {
    runner: 'mocha',
    command: 'npx mocha "test/*.test.mjs"',
    package: 'mocha',
    ...javascript("import { it as test } from 'mocha'"),
  },
  {
    runner: 'pytest',
    command: 'python3 -m pytest',
    needs: ['python3', '-c', 'import pytest'],
    files: (log) => ({
      'conftest.py': '',
      'double.py': 'def double(n):\n    return n * 2\n',
      ...files((file) => [`tests/test_double_${file}.py`, pyTests(log, file, 'double')]),
    }),
    product: { 'triple.py': 'def triple(n):\n    return n * 3\n' },
    broken: { 'double.py': 'def double(n):\n    return n + 2\n' },
    added: (log) => ({ 'tests/test_triple.py': pyTests(log, 'new', 'triple') }),
  },
  {
    runner: 'go',
    command: 'go test ./...',
    needs: ['go', 'version'],
    files: (log) => ({
      'go.mod': 'module sums\n\ngo 1.19\n',
      'double.go': 'package sums\n\nfunc Double(n int) int { return n * 2 }\n',
      ...files((file) => [`double_${file}_test.go`, goTests(log, file, 'Double')]),
    }),
    product: { 'triple.go': 'package sums\n\nfunc Triple(n int) int { return n * 3 }\n' },
    broken: { 'double.go': 'package sums\n\nfunc Double(n int) int { return n + 2 }\n' },
    added: (log) => ({ 'triple_test.go': goTests(log, 'new', 'Triple') }),
  },
  {
    runner: 'cargo',
    command: 'cargo test --offline',
    needs: ['cargo', '--version'],
    files: (log) => ({
      '.gitignore': 'target\n',
      'Cargo.toml': '[package]\nname = "sums"\nversion = "1.0.0"\nedition = "2021"\n',
      'src/lib.rs': 'pub fn double(n: i32) -> i32 {\n    n * 2\n}\n',
      ...files((file) => [`tests/double_${file}.rs`, rustTests(log, file, 'double')]),
    }),
    product: {
      'src/lib.rs': 'pub fn double(n: i32) -> i32 {\n    n * 2\n}\n\npub fn triple(n: i32) -> i32 {\n    n * 3\n}\n',
    },
    broken: {
      'src/lib.rs': 'pub fn double(n: i32) -> i32 {\n    n + 2\n}\n\npub fn triple(n: i32) -> i32 {\n    n * 3\n}\n',
    },
    added: (log) => ({ 'tests/triple.rs': rustTests(log, 'new', 'triple') }),
  },
  {
    runner: 'rspec',
    command: 'rspec',
    needs: ['rspec', '--version'],
    files: (log) => ({
      'twofold.rb': 'def twofold(n)\n  n * 2\nend\n',
      ...files((file) => [`spec/twofold_${file}_spec.rb`, rubyTests(log, file, 'twofold')]),
    }),
    product: { 'threefold.rb': 'def threefold(n)\n  n * 3\nend\n' },
    broken: { 'twofold.rb': 'def twofold(n)\n  n + 2\nend\n' },
    added: (log) => ({ 'spec/threefold_spec.rb': rubyTests(log, 'new', 'threefold') }),
  },
]

export async function run({ print, only }) {
  const rows = []
  print('| runner | claim | ended | baseline | claim: suites | in the project | in copies | x one suite |')
  print('|---|---|---|---|---|---|---|---|')
  for (const each of RUNNERS.filter(({ runner }) => only === undefined || runner === only)) {
    const packages = each.package === undefined ? undefined : PACKAGES.find((at) => existsSync(join(at, each.package)))
    const missing = each.package === undefined ? !canRun(each.needs ?? ['node', '--version']) : packages === undefined
    if (missing) {
      print(`| ${each.runner} | not installed | | | | | | |`)
      continue
    }
    for (const claim of CLAIMS) {
      const row = { runner: each.runner, ...(await tryClaim(each, claim, packages)) }
      rows.push(row)
      const cells = [row.runner, row.claim, row.right ? row.ended : `**${row.ended}**`, row.baseline, row.suites]
      print(`| ${[...cells, row.inProject, row.inCopies, row.ratio].join(' | ')} |`)
    }
  }
  return { ...figuresOf(rows), rows }
}

const canRun = ([program, ...args]) => spawnSync(program, args).status === 0

async function tryClaim(runner, claim, packages) {
  const world = mkdtempSync(join(tmpdir(), 'exitgate-proof-cost-'))
  try {
    const dir = join(world, 'project')
    const log = join(world, 'log')
    write(dir, runner.files(log))
    if (packages !== undefined) symlinkSync(packages, join(dir, 'node_modules'))
    appendFileSync(join(dir, '.gitignore'), 'node_modules\n__pycache__\n')
    const env = environment(world)
    git(dir, env, 'init', '-q')
    git(dir, env, 'add', '-A')
    git(dir, env, '-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 'start')
    const suiteMs = plainSuite(runner.command, dir, env)
    writeFileSync(log, '')
    const edits = {
      ...(claim.product && runner.product),
      ...(claim.broken && { ...runner.product, ...runner.broken }),
      ...(claim.added && runner.added(log)),
    }
    const agent = join(world, 'agent.mjs')
    const began = join(world, 'began')
    writeFileSync(agent, agentSource(edits, log, began))
    const task = 'Add triple, with its tests.'
    const words = ['run', '--json', '--max-iterations', '1', '--test', runner.command, '--task', task]
    const started = performance.now()
    const { out } = await start([PROGRAM, ...words, '--', process.execPath, agent], dir, env)
    const claimMs = performance.now() - Math.max(started, performanceTimeOf(began))
    const end = out
      .split('\n')
      .flatMap(eventIn)
      .findLast(({ type }) => type === 'ended')
    return rowOf({ claim, end, log, dir, suiteMs, claimMs, added: claim.added ? EACH : 0 })
  } finally {
    rmSync(world, { recursive: true, force: true, maxRetries: 3 })
  }
}

function rowOf({ claim, end, log, dir, suiteMs, claimMs, added }) {
  const [before, after] = readFileSync(log, 'utf8').split('== agent\n')
  const places = (after ?? '').split('\n').filter(Boolean)
  const tests = FILES * EACH
  const suites = (count, of) => round(count / of, 2)
  const inProject = places.filter((place) => place === dir || place.startsWith(`${dir}/`)).length
  return {
    claim: claim.claim,
    ended: end === undefined ? 'no end' : `${end.outcome}/${end.ending}`,
    right: (end?.outcome === 'completed') === claim.completes,
    baseline: suites(before.split('\n').filter(Boolean).length, tests),
    suites: suites(places.length, tests + added),
    inProject: suites(inProject, tests + added),
    inCopies: suites(places.length - inProject, tests + added),
    ratio: round(claimMs / suiteMs, 1),
  }
}

/** A scripted agent: it marks the log, makes its edits and claims. */
const agentSource = (edits, log, began) => `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
appendFileSync(${JSON.stringify(log)}, '== agent\\n')
for (const [file, text] of Object.entries(${JSON.stringify(edits)})) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
writeFileSync(${JSON.stringify(began)}, String(performance.timeOrigin + performance.now()))
console.log(${JSON.stringify(CLAIM)})
`

/** The agent wrote the time of its claim; the clocks of two processes agree on timeOrigin. */
const performanceTimeOf = (file) => (existsSync(file) ? Number(readFileSync(file, 'utf8')) - performance.timeOrigin : 0)

/** The wall time of the plain test command: the shorter of two, so that compilers have their caches. */
function plainSuite(command, cwd, env) {
  const times = numbers(2).map(() => {
    const began = performance.now()
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd,
      env,
      encoding: 'utf8',
      timeout: DEADLINE_MS,
    })
    if (status !== 0) throw new Error(`${command} failed: ${stdout}${stderr}`)
    return performance.now() - began
  })
  return Math.min(...times)
}

function write(dir, contents) {
  for (const [file, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), text)
  }
}

/** A home of its own, but the user's toolchains. Without the sandbox, because the tests write their log outside the project. */
function environment(world) {
  const home = homedir()
  mkdirSync(join(world, 'home'))
  const { PATH, LANG = 'C.UTF-8', RUSTUP_HOME = join(home, '.rustup'), CARGO_HOME = join(home, '.cargo') } = process.env
  const go = { GOFLAGS: '-mod=mod', GOCACHE: join(world, 'go') }
  return {
    PATH,
    LANG,
    RUSTUP_HOME,
    CARGO_HOME,
    ...go,
    HOME: join(world, 'home'),
    TMPDIR: world,
    EXITGATE_SANDBOX: 'off',
  }
}

function start(words, cwd, env) {
  return new Promise((settle) => {
    const child = spawn(process.execPath, words, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: DEADLINE_MS,
    })
    let out = ''
    child.stdout.on('data', (bytes) => {
      out += bytes
    })
    child.on('close', () => settle({ out }))
  })
}

function eventIn(line) {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

const git = (cwd, env, ...args) => spawnSync('git', args, { cwd, env })

function figuresOf(rows) {
  const of = (claim) => rows.filter((row) => row.claim === claim)
  const [verified, refused, unchanged] = CLAIMS.map(({ claim }) => of(claim))
  const mean = (list, pick) =>
    list.length === 0 ? undefined : round(list.reduce((sum, row) => sum + pick(row), 0) / list.length, 2)
  const suites = ({ suites: count }) => count
  return {
    runners: verified.length,
    wrong: rows.filter(({ right }) => !right).length,
    verifiedSuites: mean(verified, suites),
    verifiedMost: Math.max(...verified.map(suites)),
    refusedSuites: mean(refused, suites),
    unchangedSuites: mean(unchanged, suites),
    baselineSuites: mean(rows, ({ baseline }) => baseline),
    verifiedRatio: verified.length === 0 ? undefined : median(verified.map(({ ratio }) => ratio)),
  }
}
