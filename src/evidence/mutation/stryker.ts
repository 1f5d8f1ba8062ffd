import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestCopy } from '../red-proof/run-copy.ts'
import type { Detected } from '../types.ts'
import type { Mutant } from './choose.ts'
import type { ChangedFunction, ChangedSource } from './functions.ts'
import type { Fate, ProbedFunction } from './probe.ts'

const CONFIG = /^(?:\.?stryker\.(?:conf|config)\.(?:[cm]?js|json))$/
const REPORT = 'reports/mutation/mutation.json'

/**
 * Whether the project itself uses Stryker: it is installed, and there are settings for it that the run did not change. Without
 * settings it knows no more about the tests than we do.
 */
export function usesStryker(dir: string, list: readonly string[], changed: readonly string[]): boolean {
  const config = list.find((path) => CONFIG.test(path))
  return (
    config !== undefined &&
    !changed.includes(config) &&
    existsSync(join(dir, 'node_modules/@stryker-mutator/core/package.json'))
  )
}

/** Lets Stryker change the lines of these mutants. Empty if it gives no report in time. */
export async function runStryker(
  copy: Pick<TestCopy, 'put' | 'workspaceOf'>,
  tests: Detected,
  sources: readonly ChangedSource[],
  mutants: readonly Mutant[],
  limits: { readonly deadlineMs: number; readonly signal?: AbortSignal },
): Promise<readonly ProbedFunction[]> {
  const lines = [...new Set(mutants.map(({ of, line }) => `${of.file}:${line}-${line}`))]
  const command = ['node', 'node_modules/@stryker-mutator/core/bin/stryker.js', 'run', '--mutate', lines.join(',')]
  const options = ['--reporters', 'json', '--concurrency', '2', '--logLevel', 'error', '--allowEmpty']
  const workspace = await copy.workspaceOf(tests)
  // The agent may have left one.
  copy.put(REPORT, undefined)
  const { ended, code } = await workspace.run([...command, ...options], limits)
  // With 1, the score is below the limit in its settings.
  const report = ended === 'exit' && (code === 0 || code === 1) ? workspace.read(REPORT) : undefined
  return report === undefined ? [] : readReport(report, sources)
}

const FATES: Readonly<Record<string, Fate>> = {
  Killed: 'killed',
  Survived: 'survived',
  NoCoverage: 'survived',
  Timeout: 'timed-out',
  CompileError: 'broken',
  RuntimeError: 'broken',
}

interface Position {
  readonly line: number
  readonly column: number
}

interface Reported {
  readonly status: string
  readonly replacement?: string
  readonly location: { readonly start: Position; readonly end: Position }
}

/** The functions of which a test noticed a mutant. The others are tried again with our own. */
export function readReport(report: string, sources: readonly ChangedSource[]): readonly ProbedFunction[] {
  const found = new Map<ChangedFunction, { readonly mutant: Mutant; readonly fate: Fate }[]>()
  for (const { path, text, functions } of sources) {
    for (const reported of mutantsIn(report, path)) {
      const fate = FATES[reported.status]
      const of = innermost(functions, reported.location.start.line)
      if (fate === undefined || of === undefined) continue
      found.set(of, [...(found.get(of) ?? []), { mutant: mutantOf(of, text, reported), fate }])
    }
  }
  return [...found]
    .map(([of, mutants]) => ({ of, mutants, by: 'Stryker' as const }))
    .filter(({ mutants }) => mutants.some(({ fate }) => fate === 'killed'))
}

function mutantsIn(report: string, path: string): readonly Reported[] {
  try {
    const mutants: unknown = JSON.parse(report)?.files?.[path]?.mutants
    return Array.isArray(mutants) ? mutants.filter(isReported) : []
  } catch {
    return []
  }
}

const isReported = (value: unknown): value is Reported => {
  const { status, location } = (value ?? {}) as Partial<Reported>
  return typeof status === 'string' && typeof location?.start?.line === 'number'
}

const innermost = (functions: readonly ChangedFunction[], line: number): ChangedFunction | undefined =>
  functions
    .filter((each) => each.line <= line && line <= each.lastLine)
    .sort((one, other) => one.lastLine - one.line - (other.lastLine - other.line))[0]

/** Columns start at 1. */
function mutantOf(of: ChangedFunction, text: string, { replacement = '', location: { start, end } }: Reported): Mutant {
  const line = text.split('\n')[start.line - 1] ?? ''
  const rest = end?.line === start.line ? line.slice(end.column - 1) : ''
  const after = `${line.slice(0, start.column - 1)}${replacement}${rest}`
  return { of, line: start.line, text: '', before: line.trim(), after: after.replace(/\s+/g, ' ').trim() }
}
