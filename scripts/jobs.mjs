import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { budgetLine } from './budget.mjs'
import { closingLines } from './closing-line.mjs'
import { ensureBuilt, ensureInstalled } from './prepare.mjs'
import { exitLike, run, Stop } from './run.mjs'
import { ensurePrograms } from './test-programs.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

// Progress goes to stderr, so that stdout has only the job's own output.
const log = (line) => console.error(`exitgate: ${line}`)

const PROJECTS = { '--fast': ['--project', 'fast'], '--processes': ['--project', 'processes', '--project', 'alone'] }

const jobs = {
  install: { needs: [ensureInstalled], work: async () => ({ code: 0 }) },
  build: { needs: [ensureInstalled, ensureBuilt], work: async () => ({ code: 0 }) },
  start: { needs: [ensureInstalled, ensureBuilt], work: (args) => node(['dist/cli/cli.cjs', 'demo', ...args]) },
  test: { needs: [ensureInstalled, ensureBuilt], work: test },
  bench: { needs: [ensureInstalled, ensureBuilt], work: (args) => node(['bench/run.mjs', ...args]) },
}

export async function job([name, ...args]) {
  const chosen = Object.hasOwn(jobs, name ?? '') ? jobs[name] : undefined
  if (!chosen) {
    log(`Unknown job "${name ?? ''}". Known jobs: ${Object.keys(jobs).join(', ')}.`)
    process.exitCode = 64
    return
  }
  try {
    for (const ensure of chosen.needs) await ensure(root, log)
    exitLike(await chosen.work(args))
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    if (error.message) log(error.message)
    exitLike(error)
  }
}

function node(args) {
  return run(process.execPath, args, { cwd: root })
}

/** A failed test fails the run; nothing is retried. `--fast` skips the tests that start processes, `--processes` the others. */
async function test(given) {
  if (given.length === 0) ensurePrograms(root, log)
  const args = given.flatMap((arg) => PROJECTS[arg] ?? [arg])
  const { report, ...ended } = await vitest(args)
  const filtered = args.some((arg) => /^(-t|--testNamePattern)/.test(arg))
  console.log(budgetLine(root))
  for (const line of closingLines(report, { code: ended.code, filtered })) console.log(line)
  return ended
}

async function vitest(args) {
  // The reporter finds this file by its parent's process id, because an environment variable would reach the tested code too.
  const reportFile = join(root, '.tools', `test-report-${process.pid}.json`)
  mkdirSync(join(root, '.tools'), { recursive: true })
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'test-reporter.mjs')}`]
  const ended = await node([join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...reporters, ...args])
  let report
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'))
  } catch {
    report = undefined
  }
  rmSync(reportFile, { force: true })
  return { ...ended, report }
}
