import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.mjs'
import { machineSlowness } from './scripts/machine-slowness.mjs'
import { pageParts } from './scripts/page-parts.mjs'

// This file is read once for each project below. What it finds out by starting processes is kept in the environment.
process.env.TEST_SLOWNESS ??= String(machineSlowness())
const slowness = Number(process.env.TEST_SLOWNESS)

// Tests start thousands of processes. Reading a bundle of certificates triples the start of Node, and no test uses TLS. The
// repositories of the tests need neither git's sample hooks nor its maintenance after a commit.
const template = fileURLToPath(new URL('.tools/git-template', import.meta.url))
for (const folder of ['hooks', 'info']) mkdirSync(join(template, folder), { recursive: true })
delete process.env.NODE_EXTRA_CA_CERTS
Object.assign(process.env, {
  GIT_TEMPLATE_DIR: template,
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
})
// Whatever tests forget is removed with this folder. Its name is short because paths of sockets are limited to about 100 bytes, and
// other users may enter it, because PostgreSQL does not run as root.
if (!process.env.TMPDIR?.includes('/xg-')) {
  const temporary = mkdtempSync(join(realpathSync(process.env.TMPDIR ?? inMemory() ?? tmpdir()), 'xg-'))
  chmodSync(temporary, 0o1777)
  process.env.TMPDIR = temporary
  process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }))
  // A version manager's shim starts a dozen processes to find the interpreter. Once is enough.
  const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim()
  if (python) process.env.PATH = [dirname(python), process.env.PATH].join(delimiter)
}
const cores = availableParallelism()

/** A large folder in memory in which programs can be started, if there is one. Tests write and remove many small files. */
function inMemory(): string | undefined {
  const folder = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < 4e9 || freemem() < 6e9) return undefined
    const probe = join(mkdtempSync(join(folder, 'xg-')), 'true')
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 })
    const started = spawnSync(probe).status === 0
    rmSync(dirname(probe), { recursive: true })
    return started ? folder : undefined
  } catch {
    return undefined
  }
}

/** Tests of pure modules: they start no process, touch nothing outside a temporary folder, and share one set of loaded modules per worker. */
const FAST = [
  'tests/{backlog,backtest,checks,compat,config,learning,policy,reports,scenarios,signals,tampering,test-output}/**/*.test.ts',
  'tests/agents/!(memory).test.ts',
  'tests/journal/{checksum,copy,damage,event-inputs,golden,log,place,read,reduce,reduce-kept,reduce-loop,replay,reset,sha256,snapshot,torn}.test.ts',
  'tests/evidence/{checklist,checklist-golden,checklist-oracle,collect-plan,compare-tests,criteria,flakes,given,glob}.test.ts',
  'tests/evidence/{canary/break,plan-games,plan-hostile,red-proof/plan,scrub-environment,test-index,tests-check}.test.ts',
  'tests/cli/{backtest,bad-input,check,damaged-archive,explain,help,help-topics,learn,log,replay,report}.test.ts',
  'tests/loop/{control-rules,engine-ends,limits-provider,limits-reset-time,limits-wait,prompt,run-loop,shared-limits}.test.ts',
  'tests/{api/gate,integrations/ci-reports,integrations/merged-signals,parallel/record,parallel/shared-limits}.test.ts',
  'tests/{bench/text,runners/{inject,progress},system/environment,system/redact,system/shell-masked}.test.ts',
  'tests/{budget,checklist,docs-generated,docs-options,docs-rejections,fuzz-signals,laws,modules,scenarios,special-cased/find}.test.ts',
]

/** Files that need their own process, because their modules keep something for the whole file. */
const ALONE = [
  // DBOS registers its workflows once per process.
  'tests/fleet/**/*.test.ts',
  // The browser, and the sandbox in which the examples run.
  'tests/{browser,docs}/**/*.test.ts',
  'tests/docs.test.ts',
  // The age of the process counts towards the timeout of a hook.
  'tests/integrations/hook-{answers,trouble}.test.ts',
  // The compiler makes its process large, and a large process starts programs slowly.
  'tests/api/library.test.ts',
  // It replaces functions of node:fs before anything imports them.
  'tests/journal/durable.test.ts',
]

const shared = {
  setupFiles: ['tests/same-seed.ts'],
  testTimeout: Math.ceil(60_000 * slowness),
  hookTimeout: Math.ceil(30_000 * slowness),
  // The default of one second is too short on a slow machine. The awaited state always comes.
  expect: {
    requireAssertions: process.env.UPDATE_GOLDEN === undefined,
    poll: { timeout: Math.ceil(30_000 * slowness) },
  },
  // Most tests check exitgate itself without a sandbox; tests/sandbox/ turns it on.
  env: { TEST_SLOWNESS: String(slowness), EXITGATE_SANDBOX: 'off' },
}

// These tests mostly wait for their own processes and deadlines, so twice as many workers as cores keep the cores busy.
const MANY = { maxWorkers: cores * 2, sequence: { groupOrder: 1 } }

export default defineConfig({
  plugins: [pageParts()],
  test: {
    sequence: { sequencer: LongestFirst },
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'fast',
          include: FAST,
          isolate: false,
          maxWorkers: cores,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'processes',
          include: ['tests/**/*.test.ts'],
          exclude: [...FAST, ...ALONE],
          isolate: false,
          ...MANY,
        },
      },
      { extends: true, test: { ...shared, name: 'alone', include: ALONE, ...MANY } },
    ],
  },
})
