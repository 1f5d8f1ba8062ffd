import type { Allowance, TamperFinding } from './types.ts'

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
export function fitsPattern(pattern: string, path: string): boolean {
  if (pattern === path) return true
  const source = pattern
    .replace(/^\.\//, '')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/?|\*|\?/g, (mark) => (mark === '?' ? '[^/]' : mark === '*' ? '[^/]*' : '.*'))
  return new RegExp(`^${source}$`).test(path)
}
