import { languageOf } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Change } from '../changes.ts'
import { addedLines, type ChangedLine, codeLines, removedLines } from '../changes.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'

/** Starts another program, or a runner. */
const STARTS =
  /\b(?:spawn|spawnSync|execSync|execFile|execFileSync|fork|execa|execaSync|exec|system|popen|Popen|check_call|check_output|passthru|shell_exec|proc_open)\b|\bsubprocess \. \w+ \(|\b(?:pytest|unittest|vitest|mocha|jest|jasmine)\b.*\(|\bTextTestRunner\b|\bdiscover \(/
/** Can fail with an error or an exit code. */
const FAILS =
  /\bthrow\b|\braise\b|\breject \(|\babort\b|\bprocess \. exit \( (?!(?:0 )?\))|\bexitCode = (?!0\b)|\b(?:sys \. exit|os \. _exit|exit) \( (?!(?:0 )?\))|\bSystemExit \( (?!(?:0 )?\))|\bcheck = True\b/
const ASSERTS = /\bassert\w*\b|\bexpect \(|\bt \. (?:is|equal|ok|deepEqual)\b/
const EXITS_OK =
  /\bprocess \. (?:exit|reallyExit) \( (?:0 )?\)|\b(?:sys \. exit|os \. _exit|quit|exit) \( (?:0 )?\)|\bSystemExit \( (?:0 )?\)|^exit(?: 0)?$/
const ALWAYS_OK = /\bexitCode = 0\b|\bprocess \. on \( "(?:exit|beforeExit)".*(?:exit|exitCode)|\batexit\b.*exit/
const RUNNERS =
  /^(?:npx |bunx |pnpm |yarn |uv run |poetry run |python\d? -m )?(?:vitest|jest|mocha|ava|tap|jasmine|karma|playwright|cypress|pytest|unittest|tox|nox|rspec|minitest|phpunit|pest|cargo|go|gradlew?|mvnw?|dotnet|ctest|bats|--test)(?: |$)/

/** Where a test program tests less than before: what it starts, where it fails, what it asserts. */
export function programFindings(change: Change): TamperFinding[] {
  const language = languageOf(change.path)
  const removed = removedLines(change, language)
  const added = addedLines(change, language)
  const was = codeLines(change.before, language)
  const now = codeLines(change.after, language)
  return [
    ...removedFindings(change.path, STARTS, removed, added, was, now, startsSameProgram),
    ...removedFindings(change.path, FAILS, removed, added, was, now, () => true),
    ...removedFindings(change.path, ASSERTS, removed, added, was, now, related),
    ...earlyExits(change.path, added, now),
  ]
}

/** Removed lines of one kind that no added line of the same kind replaces. */
function removedFindings(
  file: string,
  kind: RegExp,
  removed: readonly ChangedLine[],
  added: readonly ChangedLine[],
  was: readonly ChangedLine[],
  now: readonly ChangedLine[],
  matches: (old: string, next: string) => boolean,
): TamperFinding[] {
  const free = added.filter(({ text }) => kind.test(text) && !isImport(text))
  const lost = removed.filter(({ text }) => {
    if (!kind.test(text) || isImport(text)) return false
    const at = free.findIndex((next) => matches(text, next.text))
    if (at >= 0) free.splice(at, 1)
    return at < 0
  })
  const count = (lines: readonly ChangedLine[]) => lines.filter(({ text }) => kind.test(text) && !isImport(text)).length
  const less = count(now) < count(was)
  return lost.slice(0, 5).map(({ text, line }) => ({
    kind: 'script-changed',
    // A started program or an assertion counts as removed even if another one was added.
    severity: less || kind !== FAILS ? 'block' : 'warn',
    file,
    line,
    before: short(text),
    detail: `This test script no longer contains: ${short(text)}. Restore it.`,
  }))
}

/** The strings show what is started: one of them is the same, or a new one is a test runner. */
function startsSameProgram(old: string, next: string): boolean {
  const [was, now] = [stringsOf(old), stringsOf(next)]
  if (was.length === 0) return related(old, next)
  return now.some((string) => was.includes(string) || RUNNERS.test(string.replace(/^.*\//, '')))
}
const stringsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"/g)]
    .map((match) => match[1]!)
    .filter((string) => !/^(?:inherit|pipe|ignore|utf-?8|npx|sh|bash|-\w|-c|)$/.test(string))

/** Whether a program passes on the failure of what it starts. */
export const passesOnFailure = (path: string, text: string): boolean =>
  codeLines(text, languageOf(path)).some(
    (line) => FAILS.test(line.text) || /\b(?:execSync|execFileSync|check_call|check_output)\b/.test(line.text),
  ) && earlyExits(path, codeLines(text, languageOf(path)), codeLines(text, languageOf(path))).length === 0

const isImport = (text: string) => /^(?:import|from|require|use|using)\b|= require \(/.test(text)

/** Whether two lines share names and values. */
function related(a: string, b: string): boolean {
  const words = (text: string) =>
    new Set((text.match(/[\p{L}\p{N}_.-]{2,}/gu) ?? []).filter((word) => !COMMON.test(word)))
  const [one, two] = [words(a), words(b)]
  return one.size === 0 || [...one].filter((word) => two.has(word)).length * 4 >= one.size
}
const COMMON =
  /^(?:const|let|var|await|async|new|return|true|false|stdio|inherit|assert\w*|expect|equal|strictEqual|deepEqual|deepStrictEqual|ok|toBe|toEqual|spawn\w*|exec\w*|subprocess|run|call|system|check_call|check|if|not|is|shell|True|False|in)$/

function earlyExits(file: string, added: readonly ChangedLine[], now: readonly ChangedLine[]): TamperFinding[] {
  const last = Math.max(
    0,
    ...now.filter(({ text }) => STARTS.test(text) || FAILS.test(text) || ASSERTS.test(text)).map(({ line }) => line),
  )
  const later = now.some(({ text }) => /\bexitCode = (?!0\b)|\. on \( "(?:exit|close)"|\. then \(|\basync\b/.test(text))
  return added.flatMap(({ text, line }): TamperFinding[] => {
    const early = EXITS_OK.test(text) && (line < last || later) && !/help|version|usage/i.test(text)
    if (!early && !ALWAYS_OK.test(text)) return []
    return [
      {
        kind: 'exit-masked',
        severity: 'block',
        file,
        line,
        after: short(text),
        detail: 'This test script exits with success even if something failed. Remove that exit.',
      },
    ]
  })
}
