import { languageOf } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Change, Changes } from '../changes.ts'
import { codeLines } from '../changes.ts'
import { type Command, classify, readCommands } from '../commands/classify.ts'
import { recipesIn } from '../commands/read-recipes.ts'
import type { TamperFinding, TestCommand } from '../finding.ts'
import { short } from '../finding.ts'
import { isScriptName, isShell, isTestProgram, startedFiles } from './started-files.ts'
import { programFindings } from './test-program.ts'

/** The usual test commands, in case the project's own are unknown. */
const USUAL_COMMANDS: readonly TestCommand[] = [
  'npm test',
  'make test',
  'make check',
  'just test',
  'task test',
  'composer test',
].map((command) => ({ command, cwd: '' }))

/** Changes to the project's own scripts and programs that its test commands start. */
export function testScriptFindings(changes: Changes): TamperFinding[] {
  const candidates = changes.all.filter(({ path, before }) => before !== undefined && isScriptName(path))
  if (candidates.length === 0) return []
  const started = new Set(startedFiles([...changes.commands, ...USUAL_COMMANDS], (path) => changes.before.read(path)))
  return candidates.flatMap((change) => (started.has(change.path) ? fileFindings(changes, change) : []))
}

/** Wrappers of build tools change with every version. What they start is checked elsewhere. */
const WRAPPERS = /(?:^|\/)(?:gradlew|mvnw)(?:\.\w+)?$/

function fileFindings(changes: Changes, change: Change): TamperFinding[] {
  const { path } = change
  const before = change.before!
  // An ignored file is not listed, but it may still exist.
  const after = change.after ?? changes.after.read(path)
  if (after === before || codeOf(path, before).length === 0) return []
  if (after === undefined) {
    const moved = movedTo(changes, path, before)
    const what = moved === undefined ? 'was deleted. Restore it' : `was deleted; most of it is now in ${moved}`
    return [lostFile(path, before, moved === undefined ? 'block' : 'warn', what)]
  }
  if (codeOf(path, after).length === 0) return [lostFile(path, before, 'block', 'is empty now. Restore it')]
  if (WRAPPERS.test(path)) return []
  if (isShell(path, before)) {
    return isShell(path, after)
      ? shellFindings(path, before, after)
      : [lostFile(path, before, 'block', 'is now run by another program. Restore it')]
  }
  return languageOf(path) !== undefined && isTestProgram(path, before) ? programFindings({ ...change, after }) : []
}

const codeOf = (path: string, text: string): readonly string[] =>
  codeLines(text, languageOf(path))
    .map((line) => line.text)
    .filter((line) => !line.startsWith('#!'))

/** A new file with most of the old lines. */
function movedTo(changes: Changes, path: string, before: string): string | undefined {
  const lines = codeOf(path, before)
  return changes.all.find((other) => {
    if (other.before !== undefined || other.after === undefined) return false
    const now = new Set(codeOf(other.path, other.after))
    return lines.filter((line) => now.has(line)).length / lines.length >= 0.8
  })?.path
}

const lostFile = (file: string, before: string, severity: 'block' | 'warn', what: string): TamperFinding => ({
  kind: 'script-changed',
  severity,
  file,
  line: 1,
  before: short(before),
  detail: `This test script ${what}.`,
})

/** Where a shell script tests less than before: removed commands, hidden failures, an early exit. */
function shellFindings(path: string, before: string, after: string): TamperFinding[] {
  const was = mainCommands(before)
  const now = mainCommands(after)
  // If the file has recipes, runners and linters are compared there.
  const hasRecipes = recipesIn(path, before) !== undefined
  const free = new Set(now)
  const findings: TamperFinding[] = []
  const replaced = now.some(
    // Whether its failure is hidden comes last: finding out walks through the whole script.
    ({ command }) => classify(command).purpose === 'test' && !includes(was, command) && command.masked === undefined,
  )
  for (const old of was) {
    const partner = partnerOf(old, free)
    if (partner) free.delete(partner)
    if (isExit(old) && becameStrict(before, after)) continue
    if (hasRecipes && classify(old.command).purpose !== 'other') continue
    if (partner === undefined) findings.push(lostCommand(path, old, replaced))
    else if (partner.command.masked !== undefined && old.command.masked === undefined)
      findings.push(
        maskedExit(path, partner, `This test script: ${partner.command.masked}. A failing command must fail it.`, old),
      )
  }
  if (was.length > 1 && isStrict(before) && !isStrict(after) && now.length > 1)
    findings.push({
      ...common(path, now[0]!),
      kind: 'exit-masked',
      severity: 'block',
      before: 'set -e',
      detail: 'This test script continues after a failure because "set -e" was removed. Restore it.',
    })
  return [...findings, ...earlyExits(path, before, after, now), ...shadows(path, was, before, after)]
}

interface MainCommand {
  readonly command: Command
  readonly words: readonly string[]
}

const LEADING = /^(?:time|exec|command|env|sudo|nice)$/

/** Commands that only print or prepare something. Changing them is harmless. */
const HARMLESS =
  /^(?:echo|printf|cd|pushd|popd|set|shopt|export|local|declare|readonly|unset|shift|true|:|mkdir|rm|cp|mv|touch|chmod|ln|cat|tee|sleep|wait|date|pwd|which|source|\.|trap|umask|ulimit|curl|wget|apt|apt-get|apk|brew|pip|pip3|docker|docker-compose|nvm|break|continue|read|tput|clear|hash|type|kill)$/

/** Commands that only query the system when they are in a substitution. */
const QUERIES =
  /^(?:dirname|basename|realpath|readlink|mktemp|uname|id|whoami|hostname|nproc|seq|git|ls|head|tail|sort|uniq|tr|cut|sed|awk|wc)$/

function mainCommands(text: string): MainCommand[] {
  return readCommands(text).flatMap((command): MainCommand[] => {
    let words = [...command.words]
    while (words.length > 0 && (LEADING.test(words[0]!) || /^[A-Za-z_]\w*=/.test(words[0]!))) words = words.slice(1)
    const [first = '', second = ''] = words
    if (first === '' || HARMLESS.test(first) || (command.nested === true && QUERIES.test(first))) return []
    if (/^(?:npm|pnpm|yarn|bun)$/.test(first) && /^(?:ci|install|i|add)$/.test(second)) return []
    if (/^(?:exit|return)$/.test(first) && !/^(?:[1-9]|\$|")/.test(second)) return []
    return [{ command, words }]
  })
}

const includes = (list: readonly MainCommand[], { text }: Command) => list.some(({ command }) => command.text === text)

/** The same command, or else the most similar one that starts the same program. */
function partnerOf(old: MainCommand, free: ReadonlySet<MainCommand>): MainCommand | undefined {
  const same = [...free].find(({ words }) => words.join(' ') === old.words.join(' '))
  if (same) return same
  const scored = [...free]
    .filter(({ words }) => words[0] === old.words[0])
    .map((each) => ({ each, score: similarity(old.words, each.words) }))
    .sort((a, b) => b.score - a.score)
  return scored[0] !== undefined && scored[0].score > 0 ? scored[0].each : undefined
}

const OPERATOR = /^(?:\[+|\]+|-[a-z]{1,2}|[!=<>]=?|==|=~|-\w+|"|&&|\|\|)$/

/** The share of a command's arguments that the other command has too. */
function similarity(a: readonly string[], b: readonly string[]): number {
  const subjects = (words: readonly string[]) => new Set(words.slice(1).filter((word) => !OPERATOR.test(word)))
  const [one, two] = [subjects(a), subjects(b)]
  if (one.size === 0) return two.size === 0 ? 1 : 0.1
  return [...one].filter((word) => two.has(word)).length / one.size
}

const isExit = ({ words }: MainCommand) => /^(?:exit|return)$/.test(words[0]!)

/** The script used to count failures, and now exits at the first one. */
const becameStrict = (before: string, after: string) =>
  !isStrict(before) && isStrict(after) && !/\|\|\s*\w+=/.test(after)

const isStrict = (text: string) => /(?:^|\n|;|&&)\s*set -(?:[a-z]*e|o errexit)|^#!.*\s-[a-z]*e\b/.test(text)

function lostCommand(file: string, { command }: MainCommand, replaced: boolean): TamperFinding {
  return {
    kind: 'script-changed',
    severity: replaced ? 'warn' : 'block',
    file,
    line: command.line,
    before: short(command.text),
    detail: `This test script no longer runs "${short(command.text)}". Restore it.`,
  }
}

const maskedExit = (file: string, now: MainCommand, detail: string, old?: MainCommand): TamperFinding => ({
  ...common(file, now),
  kind: 'exit-masked',
  severity: 'block',
  ...(old && { before: short(old.command.text) }),
  detail,
})

const common = (file: string, { command }: MainCommand) => ({ file, line: command.line, after: short(command.text) })

/** A new exit with success before the last command that can fail, or a trap that causes one. */
function earlyExits(file: string, before: string, after: string, now: readonly MainCommand[]): TamperFinding[] {
  const had = readCommands(before).map(({ text }) => text)
  const last = Math.max(0, ...now.map(({ command }) => command.line))
  return readCommands(after).flatMap((command): TamperFinding[] => {
    const at = had.indexOf(command.text)
    if (at >= 0) {
      had.splice(at, 1)
      return []
    }
    const words = command.words.filter((word) => !LEADING.test(word) || word === 'exec')
    const trap = words[0] === 'trap' && /\bexit 0|\bexit *(?:["']|$)|kill -9/.test(command.text)
    const replaces = words[0] === 'exec' && /^(?:true|:|echo|printf|\/bin\/true)$/.test(words[1] ?? '')
    const exits = words.some((word, i) => /^(?:exit|return)$/.test(word) && /^0?$/.test(words[i + 1] ?? '')) || replaces
    const early = exits && command.line <= last && !printsHelp(after, command.line)
    if (!trap && !early) return []
    const detail = trap
      ? 'A trap decides how this test script exits. Remove it.'
      : 'This test script exits with success before all its commands have run. Remove the early exit.'
    return [maskedExit(file, { command, words }, detail)]
  })
}

/** `--help) usage; exit 0 ;;`. */
function printsHelp(text: string, line: number): boolean {
  const near = text
    .split('\n')
    .slice(Math.max(0, line - 4), line)
    .join('\n')
  return /--?(?:h|help|version|usage)["']?\)|= *["']?--?(?:h|help|version)\b/.test(near)
}

/** A new function or alias with the name of a program that the script starts. */
function shadows(file: string, was: readonly MainCommand[], before: string, after: string): TamperFinding[] {
  const programs = new Set(was.map(({ words }) => words[0]!))
  const named = (text: string) =>
    [
      ...text.matchAll(
        /^[ \t]*(?:function[ \t]+)?([\w.[-]+)[ \t]*\(\)|^[ \t]*alias[ \t]+([\w.-]+)=|^[ \t]*function[ \t]+([\w.-]+)/gm,
      ),
    ].map((match) => ({ name: (match[1] ?? match[2] ?? match[3])!, at: match.index, text: match[0] }))
  const had = new Set(named(before).map(({ name }) => name))
  return named(after).flatMap(({ name, at, text }): TamperFinding[] =>
    had.has(name) || !(programs.has(name) || name === 'exit')
      ? []
      : [
          {
            kind: 'script-changed',
            severity: 'block',
            file,
            line: after.slice(0, at).split('\n').length,
            after: short(text),
            detail: `This test script redefines ${name}, so the real program does not run. Remove the definition.`,
          },
        ],
  )
}
