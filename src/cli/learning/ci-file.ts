import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readAnyOutput, readTestReport } from '../../../packages/test-output/src/report.ts'
import type { CiResult } from '../../learning/automatic/ci.ts'
import { errorCode } from '../../system/files.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { readStdin } from '../read-stdin.ts'

const MOST = 64 * 1024 * 1024

/** CI results: a JSON list of commits, or the report of a test run on the checked-out commit. */
export async function readCi(file: string, io: Io): Promise<readonly CiResult[]> {
  const text = file === '-' ? readStdin(MOST, () => false) : textIn(resolve(io.cwd, file))
  const name = file === '-' ? 'standard input' : file
  const listed = rowsIn(parsed(text))
  if (listed !== undefined) {
    const results = listed.flatMap(resultOf)
    if (results.length > 0 || listed.length === 0) return results
    throw new InputError(
      `--ci ${name}: no row has a commit and a conclusion. It should look like {"commit": "…", "conclusion": "failure"}.`,
    )
  }
  const run = (await readTestReport(file, text)) ?? (await readAnyOutput(text))
  if (run === undefined)
    throw new InputError(
      `--ci ${name} is neither JSON nor a test report. Pass rows like {"commit": "…", "conclusion": "failure"}, or a JUnit file.`,
    )
  const failed = (run.tests ?? []).filter(({ state }) => state === 'failed').map((test) => test.name)
  return [{ commit: 'HEAD', red: run.failed > 0, failed }]
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = errorCode(error) || String(error)
    throw new InputError(`--ci ${path} can't be read (${why}). Pass a file with CI results, or - for stdin.`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A list, a list under a name that CI services use, or a single row. */
function rowsIn(value: unknown): readonly Row[] | undefined {
  if (Array.isArray(value)) return value.every(isRow) ? value : undefined
  if (!isRow(value)) return undefined
  for (const name of ['workflow_runs', 'runs', 'results', 'pipelines']) {
    const inside = value[name]
    if (Array.isArray(inside) && inside.every(isRow)) return inside
  }
  return commitOf(value) === undefined ? undefined : [value]
}

const FAILED = /^(?:failure|failed|error|red|timed_out|broken)$/i
const PASSED = /^(?:success|successful|passed|ok|green)$/i

/** A cancelled, skipped or unfinished run says nothing. */
function resultOf(row: Row): readonly CiResult[] {
  const commit = commitOf(row)
  const words = [row.conclusion, row.state, row.status, row.result].filter((word) => typeof word === 'string')
  const red = words.some((word) => FAILED.test(word))
  if (commit === undefined || (!red && !words.some((word) => PASSED.test(word)))) return []
  const failed = Array.isArray(row.failed) ? row.failed.filter((name) => typeof name === 'string') : []
  return [{ commit, red, failed }]
}

function commitOf(row: Row): string | undefined {
  const named = [row.commit, row.sha, row.headSha, row.head_sha].find((value) => typeof value === 'string')
  return typeof named === 'string' && /^[0-9a-f]{7,64}$/i.test(named) ? named.toLowerCase() : undefined
}
