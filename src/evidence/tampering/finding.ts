import { globMatcher } from '../../system/glob.ts'

/** The files of a tree, by path from its root with forward slashes. */
export interface SourceView {
  readonly paths: readonly string[]
  /** Text of a file; undefined if it doesn't exist or isn't text. */
  read(path: string): string | undefined
}

export type TamperKind =
  /** A test file was deleted, and its tests exist nowhere else. */
  | 'test-file-deleted'
  /** A test, or a row of its table, was removed. */
  | 'test-removed'
  /** A test's body is empty. */
  | 'test-emptied'
  /** A test is skipped, disabled, or now passes only when it fails. */
  | 'test-skipped'
  /** Only this test runs, and others don't. */
  | 'test-focused'
  | 'assertion-removed'
  /** An assertion checks less than before. */
  | 'assertion-weakened'
  /** An assertion can no longer fail. */
  | 'assertion-vacuous'
  | 'threshold-lowered'
  /** A command other than the tests runs something else. */
  | 'script-changed'
  /** A failing command no longer fails its caller. */
  | 'exit-masked'
  | 'ci-weakened'
  /** Product code changes the assertions. */
  | 'runner-patched'
  /** The lock file has another test runner under the same version. */
  | 'runner-replaced'
  /** An installed package, program or start-up file differs from the baseline, and no lock file explains it. */
  | 'dependency-changed'
  /** Code that runs before or around the tests was added or changed, and tests need it to pass. */
  | 'test-setup-changed'
  /** A test expects something else than before. */
  | 'expectation-changed'
  /** exitgate's own settings or records, or hooks, were changed. */
  | 'gate-touched'
  /** The source behaves differently under test. */
  | 'test-special-case'
  /** A type checker or a linter must overlook something. */
  | 'suppression-added'

export interface TamperFinding {
  readonly kind: TamperKind
  readonly severity: 'block' | 'warn'
  readonly file: string
  /** In the new tree; for something removed, in the old tree. */
  readonly line?: number
  readonly before?: string
  readonly after?: string
  readonly detail: string
  /** The test it is about, with its groups. */
  readonly test?: string
  /** Of a deleted file. */
  readonly tests?: readonly string[]
}

/** The user accepts findings like this (`evidence.allow`). */
export interface Allowance {
  readonly kind?: string
  /** A path, or a pattern with `*` and `**`. */
  readonly file?: string
  readonly reason: string
}

export interface TamperOptions {
  readonly allow?: readonly Allowance[]
  /** Only these paths may differ, and nothing else is read. */
  readonly changed?: readonly string[]
  /** How the project was tested before. The scripts they start are checked like tests. */
  readonly commands?: readonly TestCommand[]
  /** The required commands that don't test, and the scripts they run. */
  readonly required?: readonly string[]
}

/** A command that tests the project. */
export interface TestCommand {
  readonly command: string
  /** Folder it runs in, from the root. */
  readonly cwd: string
  readonly behind?: string
}

/** One value of a settings file with its dotted key. In lists, the last part of the key is the index. */
export interface Setting {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** The text as one line of at most 160 characters. */
export function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 157)}...` : line
}

/** Findings without duplicates and without those the user allowed, sorted by file and line. */
export function withoutDuplicates(
  findings: readonly TamperFinding[],
  allow: readonly Allowance[] = [],
): TamperFinding[] {
  const seen = new Map<string, TamperFinding>()
  for (const finding of findings) {
    if (allow.some((allowance) => allows(allowance, finding))) continue
    const key = [finding.kind, finding.file, finding.line ?? '', finding.detail].join('\n')
    const before = seen.get(key)
    if (!before || (before.severity === 'warn' && finding.severity === 'block')) seen.set(key, finding)
  }
  return [...seen.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)))
}

/** An allowance without a reason is invalid. */
export function allows({ kind, file, reason }: Allowance, finding: { kind: string; file: string }): boolean {
  if (reason.trim() === '' || (kind === undefined && file === undefined)) return false
  return (kind === undefined || kind === finding.kind) && (file === undefined || globMatcher(file)(finding.file))
}
