import { languageOf } from '../../test-files.ts'
import { codeLines } from '../added.ts'
import type { Change, Changes } from '../changes.ts'
import { short } from '../findings.ts'
import type { TamperFinding, TestCommand } from '../types.ts'
import { isScriptName, isShell, isTestProgram, namedFiles } from './named-files.ts'
import { shellFindings } from './shell-script.ts'
import { programFindings } from './test-program.ts'

/** What a project is tested by when nobody says so. */
const USUAL: readonly TestCommand[] = [
  'npm test',
  'make test',
  'make check',
  'just test',
  'task test',
  'composer test',
].map((command) => ({ command, cwd: '' }))
/** Wrappers of build tools are exchanged with every version; what they start is looked at elsewhere. */
const WRAPPERS = /(?:^|\/)(?:gradlew|mvnw)(?:\.\w+)?$/

/** What was done to the project's own scripts and programs that its test commands start. */
export function machineryFindings(changes: Changes): TamperFinding[] {
  const likely = changes.all.filter(({ path, before }) => before !== undefined && isScriptName(path))
  if (likely.length === 0) return []
  const named = new Set(namedFiles([...changes.commands, ...USUAL], (path) => changes.before.read(path)))
  return likely.flatMap((change) => (named.has(change.path) ? fileFindings(changes, change) : []))
}

function fileFindings(changes: Changes, change: Change): TamperFinding[] {
  const { path } = change
  const before = change.before!
  // A file that git ignores is in no list, and still there.
  const after = change.after ?? changes.after.read(path)
  if (after === before || meaningful(path, before).length === 0) return []
  if (after === undefined) {
    const moved = movedTo(changes, path, before)
    const detail = moved === undefined ? 'is gone' : `is gone; most of it stands in ${moved} now`
    return [gone(path, before, moved === undefined ? 'block' : 'warn', detail)]
  }
  if (meaningful(path, after).length === 0) return [gone(path, before, 'block', 'has nothing left in it')]
  if (WRAPPERS.test(path)) return []
  if (isShell(path, before)) {
    return isShell(path, after)
      ? shellFindings(path, before, after)
      : [gone(path, before, 'block', 'is run by another program now')]
  }
  return languageOf(path) !== undefined && isTestProgram(path, before) ? programFindings({ ...change, after }) : []
}

const gone = (file: string, before: string, severity: 'block' | 'warn', what: string): TamperFinding => ({
  kind: 'script-changed',
  severity,
  file,
  line: 1,
  before: short(before),
  detail: `"${file}", by which the project is tested, ${what}.`,
})

const meaningful = (path: string, text: string): readonly string[] =>
  codeLines(text, languageOf(path))
    .map((line) => line.text)
    .filter((line) => !line.startsWith('#!'))

/** A new file that holds most of the lines. */
function movedTo(changes: Changes, path: string, before: string): string | undefined {
  const lines = meaningful(path, before)
  return changes.all.find((other) => {
    if (other.before !== undefined || other.after === undefined) return false
    const now = new Set(meaningful(other.path, other.after))
    return lines.filter((line) => now.has(line)).length / lines.length >= 0.8
  })?.path
}
