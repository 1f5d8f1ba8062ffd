import { languageOf } from '../../test-files.ts'
import type { Change } from '../changes.ts'
import { type AddedLine, addedLines, codeLines, removedLines } from '../changes.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'

/** Starts another program, or a runner. */
const STARTS =
  /\b(?:spawn|spawnSync|execSync|execFile|execFileSync|fork|execa|execaSync|exec|system|popen|Popen|check_call|check_output|passthru|shell_exec|proc_open)\b|\bsubprocess \. \w+ \(|\b(?:pytest|unittest|vitest|mocha|jest|jasmine)\b.*\(|\bTextTestRunner\b|\bdiscover \(/
/** Can fail, and says so. */
const FAILS =
  /\bthrow\b|\braise\b|\breject \(|\babort\b|\bprocess \. exit \( (?!(?:0 )?\))|\bexitCode = (?!0\b)|\b(?:sys \. exit|os \. _exit|exit) \( (?!(?:0 )?\))|\bSystemExit \( (?!(?:0 )?\))|\bcheck = True\b/
const ASSERTS = /\bassert\w*\b|\bexpect \(|\bt \. (?:is|equal|ok|deepEqual)\b/
const ENDS_WELL =
  /\bprocess \. (?:exit|reallyExit) \( (?:0 )?\)|\b(?:sys \. exit|os \. _exit|quit|exit) \( (?:0 )?\)|\bSystemExit \( (?:0 )?\)|^exit(?: 0)?$/
const ALWAYS_WELL = /\bexitCode = 0\b|\bprocess \. on \( "(?:exit|beforeExit)".*(?:exit|exitCode)|\batexit\b.*exit/
const RUNNERS =
  /^(?:npx |bunx |pnpm |yarn |uv run |poetry run |python\d? -m )?(?:vitest|jest|mocha|ava|tap|jasmine|karma|playwright|cypress|pytest|unittest|tox|nox|rspec|minitest|phpunit|pest|cargo|go|gradlew?|mvnw?|dotnet|ctest|bats|--test)(?: |$)/

/** What a program that tests asks less than before: what it started, where it failed, what it asserted. */
export function programFindings(change: Change): TamperFinding[] {
  const language = languageOf(change.path)
  const went = removedLines(change, language)
  const came = addedLines(change, language)
  const was = codeLines(change.before, language)
  const now = codeLines(change.after, language)
  return [
    ...fewer(change.path, STARTS, went, came, was, now, startsAlike),
    ...fewer(change.path, FAILS, went, came, was, now, () => true),
    ...fewer(change.path, ASSERTS, went, came, was, now, related),
    ...endings(change.path, came, now),
  ]
}

/** Lines of one sort that went without another of it that stands for them. */
function fewer(
  file: string,
  sort: RegExp,
  went: readonly AddedLine[],
  came: readonly AddedLine[],
  was: readonly AddedLine[],
  now: readonly AddedLine[],
  fits: (old: string, next: string) => boolean,
): TamperFinding[] {
  const free = came.filter(({ text }) => sort.test(text) && !isImport(text))
  const lost = went.filter(({ text }) => {
    if (!sort.test(text) || isImport(text)) return false
    const at = free.findIndex((next) => fits(text, next.text))
    if (at >= 0) free.splice(at, 1)
    return at < 0
  })
  const count = (lines: readonly AddedLine[]) => lines.filter(({ text }) => sort.test(text) && !isImport(text)).length
  const less = count(now) < count(was)
  return lost.slice(0, 5).map(({ text, line }) => ({
    kind: 'script-changed',
    // Starts and assertions that became others of their sort are as gone as those that became nothing.
    severity: less || sort !== FAILS ? 'block' : 'warn',
    file,
    line,
    before: short(text),
    detail: `"${file}", by which the project is tested, does not do any more: ${short(text)}.`,
  }))
}

/** What is started is told by the strings: one of them stayed, or a runner is among the new ones. */
function startsAlike(old: string, next: string): boolean {
  const [was, now] = [stringsOf(old), stringsOf(next)]
  if (was.length === 0) return related(old, next)
  return now.some((string) => was.includes(string) || RUNNERS.test(string.replace(/^.*\//, '')))
}
const stringsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"/g)]
    .map((match) => match[1]!)
    .filter((string) => !/^(?:inherit|pipe|ignore|utf-?8|npx|sh|bash|-\w|-c|)$/.test(string))

/** Whether a program gives on the failure of what it starts. */
export const handsFailureOn = (path: string, text: string): boolean =>
  codeLines(text, languageOf(path)).some(
    (line) => FAILS.test(line.text) || /\b(?:execSync|execFileSync|check_call|check_output)\b/.test(line.text),
  ) && endings(path, codeLines(text, languageOf(path)), codeLines(text, languageOf(path))).length === 0

const isImport = (text: string) => /^(?:import|from|require|use|using)\b|= require \(/.test(text)

/** Two lines that speak of the same things: names and values, not marks. */
function related(a: string, b: string): boolean {
  const words = (text: string) =>
    new Set((text.match(/[\p{L}\p{N}_.-]{2,}/gu) ?? []).filter((word) => !COMMON.test(word)))
  const [one, two] = [words(a), words(b)]
  return one.size === 0 || [...one].filter((word) => two.has(word)).length * 4 >= one.size
}
const COMMON =
  /^(?:const|let|var|await|async|new|return|true|false|stdio|inherit|assert\w*|expect|equal|strictEqual|deepEqual|deepStrictEqual|ok|toBe|toEqual|spawn\w*|exec\w*|subprocess|run|call|system|check_call|check|if|not|is|shell|True|False|in)$/

function endings(file: string, came: readonly AddedLine[], now: readonly AddedLine[]): TamperFinding[] {
  const last = Math.max(
    0,
    ...now.filter(({ text }) => STARTS.test(text) || FAILS.test(text) || ASSERTS.test(text)).map(({ line }) => line),
  )
  const later = now.some(({ text }) => /\bexitCode = (?!0\b)|\. on \( "(?:exit|close)"|\. then \(|\basync\b/.test(text))
  return came.flatMap(({ text, line }): TamperFinding[] => {
    const early = ENDS_WELL.test(text) && (line < last || later) && !/help|version|usage/i.test(text)
    if (!early && !ALWAYS_WELL.test(text)) return []
    return [
      {
        kind: 'exit-masked',
        severity: 'block',
        file,
        line,
        after: short(text),
        detail: `In "${file}": it ends with success, whatever was found.`,
      },
    ]
  })
}
