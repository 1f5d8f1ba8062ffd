/** The files of a tree as they are (or were), by path from its root with forward slashes. */
export interface SourceView {
  readonly paths: readonly string[]
  /** Text of a file; undefined when it is absent or not text. */
  read(path: string): string | undefined
}

export type TamperKind =
  /** A file of tests is gone, and its tests are nowhere else. */
  | 'test-file-deleted'
  /** A test, or a row of its table, is gone. */
  | 'test-removed'
  /** A test has nothing left in it. */
  | 'test-emptied'
  /** A test that ran is skipped, disabled, or must now fail to pass. */
  | 'test-skipped'
  /** A test is singled out, so that others do not run. */
  | 'test-focused'
  | 'assertion-removed'
  /** It asks for less than before. */
  | 'assertion-weakened'
  /** It cannot fail any more. */
  | 'assertion-vacuous'
  /** What a test is about was replaced by a mock. */
  | 'unit-mocked'
  | 'snapshot-updated'
  /** Fewer tests run, or failures count less, by the runner's own settings. */
  | 'runner-narrowed'
  | 'threshold-lowered'
  /** A command that tests runs something else than before. */
  | 'script-changed'
  /** A failing command no longer fails what calls it. */
  | 'exit-masked'
  | 'ci-weakened'
  /** Code that changes what the runner reports. */
  | 'runner-patched'
  /** The runner itself was exchanged. */
  | 'runner-replaced'
  /** The gate's own settings, records or hooks. */
  | 'gate-touched'
  /** Source that behaves differently under test. */
  | 'test-special-case'

export interface TamperFinding {
  readonly kind: TamperKind
  readonly severity: 'block' | 'warn'
  readonly file: string
  /** In the tree as it is; for what is gone, in the tree as it was. */
  readonly line?: number
  readonly before?: string
  readonly after?: string
  readonly detail: string
}

/** A person's word that findings like this are fine. */
export interface Allowance {
  readonly kind?: string
  /** A path, or a pattern with `*` and `**`. */
  readonly file?: string
  readonly reason: string
}

export interface TamperOptions {
  readonly allow?: readonly Allowance[]
  /** Only these paths can differ: nothing else is read. */
  readonly changed?: readonly string[]
  /** By which the project was tested before: their own scripts are looked at like tests. */
  readonly commands?: readonly TestCommand[]
}

/** A command by which the project is tested, and the line behind it where it is a script. */
export interface TestCommand {
  readonly command: string
  /** Folder from the root in which it runs. */
  readonly cwd: string
  readonly behind?: string
}

/** One value of a settings file, with the way to it. Items of a list carry their place as the last part. */
export interface Setting {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** One line of at most 160 characters, for people. */
export function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 157)}...` : line
}

/** The same thing said twice is said once; what a person allowed is left out; the rest is in order of file and line. */
export function settled(findings: readonly TamperFinding[], allow: readonly Allowance[] = []): TamperFinding[] {
  const seen = new Map<string, TamperFinding>()
  for (const finding of findings) {
    if (allow.some((allowance) => allows(allowance, finding))) continue
    const key = [finding.kind, finding.file, finding.line ?? '', finding.detail].join('\n')
    const before = seen.get(key)
    if (!before || (before.severity === 'warn' && finding.severity === 'block')) seen.set(key, finding)
  }
  return [...seen.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)))
}

/** An allowance without a reason is none. */
export function allows({ kind, file, reason }: Allowance, finding: { kind: string; file: string }): boolean {
  if (reason.trim() === '' || (kind === undefined && file === undefined)) return false
  return (kind === undefined || kind === finding.kind) && (file === undefined || fitsPattern(file, finding.file))
}

/** `*` stands for anything but a slash, `**` for anything. */
function fitsPattern(pattern: string, path: string): boolean {
  if (pattern === path) return true
  const source = pattern
    .replace(/^\.\//, '')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/?|\*|\?/g, (mark) => (mark === '?' ? '[^/]' : mark === '*' ? '[^/]*' : '.*'))
  return new RegExp(`^${source}$`).test(path)
}
