import { languageOf } from '../../test-files.ts'
import type { Change, Changes } from '../changes.ts'
import { codeLines } from '../changes.ts'
import { type Command, classify, readCommands } from '../commands/classify.ts'
import { recipesIn } from '../commands/read-recipes.ts'
import type { TamperFinding, TestCommand } from '../finding.ts'
import { short } from '../finding.ts'
import { isScriptName, isShell, isTestProgram, namedFiles } from './named-files.ts'
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

/** What was done to the project's own scripts and programs that its test commands start. */
export function machineryFindings(changes: Changes): TamperFinding[] {
  const likely = changes.all.filter(({ path, before }) => before !== undefined && isScriptName(path))
  if (likely.length === 0) return []
  const named = new Set(namedFiles([...changes.commands, ...USUAL], (path) => changes.before.read(path)))
  return likely.flatMap((change) => (named.has(change.path) ? fileFindings(changes, change) : []))
}

/** Wrappers of build tools are exchanged with every version; what they start is looked at elsewhere. */
const WRAPPERS = /(?:^|\/)(?:gradlew|mvnw)(?:\.\w+)?$/

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

const gone = (file: string, before: string, severity: 'block' | 'warn', what: string): TamperFinding => ({
  kind: 'script-changed',
  severity,
  file,
  line: 1,
  before: short(before),
  detail: `"${file}", by which the project is tested, ${what}.`,
})

/** What a shell script that tests asks less than before: commands that are gone, failures that are lost, an early end. */
function shellFindings(path: string, before: string, after: string): TamperFinding[] {
  const was = weightyIn(before)
  const now = weightyIn(after)
  // Runners and linters are compared as recipes, where the file is known for one.
  const known = recipesIn(path, before) !== undefined
  const free = new Set(now)
  const findings: TamperFinding[] = []
  const replaced = now.some(
    ({ command }) => command.masked === undefined && classify(command).purpose === 'test' && !holds(was, command),
  )
  for (const old of was) {
    const partner = partnerOf(old, free)
    if (partner) free.delete(partner)
    if (isEnding(old) && becameStrict(before, after)) continue
    if (known && classify(old.command).purpose !== 'other') continue
    if (partner === undefined) findings.push(lost(path, old, replaced))
    else if (partner.command.masked !== undefined && old.command.masked === undefined)
      findings.push(masked(path, partner, `In "${path}": ${partner.command.masked}.`, old))
  }
  if (was.length > 1 && isStrict(before) && !isStrict(after) && now.length > 1)
    findings.push({
      ...common(path, now[0]!),
      kind: 'exit-masked',
      severity: 'block',
      before: 'set -e',
      detail: `"${path}" goes on after a failure, because set -e is gone.`,
    })
  return [...findings, ...endings(path, before, after, now), ...shadows(path, was, before, after)]
}

interface Weighty {
  readonly command: Command
  readonly words: readonly string[]
}

const LEADING = /^(?:time|exec|command|env|sudo|nice)$/

/** What only prints, prepares or holds the script together: a script may have more or less of it. */
const QUIET =
  /^(?:echo|printf|cd|pushd|popd|set|shopt|export|local|declare|readonly|unset|shift|true|:|mkdir|rm|cp|mv|touch|chmod|ln|cat|tee|sleep|wait|date|pwd|which|source|\.|trap|umask|ulimit|curl|wget|apt|apt-get|apk|brew|pip|pip3|docker|docker-compose|nvm|break|continue|read|tput|clear|hash|type|kill)$/

/** What a substitution asks of the system: where it is, what it is called. */
const ASKS =
  /^(?:dirname|basename|realpath|readlink|mktemp|uname|id|whoami|hostname|nproc|seq|git|ls|head|tail|sort|uniq|tr|cut|sed|awk|wc)$/

function weightyIn(text: string): Weighty[] {
  return readCommands(text).flatMap((command): Weighty[] => {
    let words = [...command.words]
    while (words.length > 0 && (LEADING.test(words[0]!) || /^[A-Za-z_]\w*=/.test(words[0]!))) words = words.slice(1)
    const [first = '', second = ''] = words
    if (first === '' || QUIET.test(first) || (command.nested === true && ASKS.test(first))) return []
    if (/^(?:npm|pnpm|yarn|bun)$/.test(first) && /^(?:ci|install|i|add)$/.test(second)) return []
    if (/^(?:exit|return)$/.test(first) && !/^(?:[1-9]|\$|")/.test(second)) return []
    return [{ command, words }]
  })
}

const holds = (list: readonly Weighty[], { text }: Command) => list.some(({ command }) => command.text === text)

/** The same command, else the most alike of those that start the same program with something in common. */
function partnerOf(old: Weighty, free: ReadonlySet<Weighty>): Weighty | undefined {
  const same = [...free].find(({ words }) => words.join(' ') === old.words.join(' '))
  if (same) return same
  const scored = [...free]
    .filter(({ words }) => words[0] === old.words[0])
    .map((each) => ({ each, score: alike(old.words, each.words) }))
    .sort((a, b) => b.score - a.score)
  return scored[0] !== undefined && scored[0].score > 0 ? scored[0].each : undefined
}

const OPERATOR = /^(?:\[+|\]+|-[a-z]{1,2}|[!=<>]=?|==|=~|-\w+|"|&&|\|\|)$/

/** Which share of what a command is about the other is about too. */
function alike(a: readonly string[], b: readonly string[]): number {
  const about = (words: readonly string[]) => new Set(words.slice(1).filter((word) => !OPERATOR.test(word)))
  const [one, two] = [about(a), about(b)]
  if (one.size === 0) return two.size === 0 ? 1 : 0.1
  return [...one].filter((word) => two.has(word)).length / one.size
}

const isEnding = ({ words }: Weighty) => /^(?:exit|return)$/.test(words[0]!)

/** Failures that were counted now end the script at once. */
const becameStrict = (before: string, after: string) =>
  !isStrict(before) && isStrict(after) && !/\|\|\s*\w+=/.test(after)

const isStrict = (text: string) => /(?:^|\n|;|&&)\s*set -(?:[a-z]*e|o errexit)|^#!.*\s-[a-z]*e\b/.test(text)

function lost(file: string, { command }: Weighty, replaced: boolean): TamperFinding {
  return {
    kind: 'script-changed',
    severity: replaced ? 'warn' : 'block',
    file,
    line: command.line,
    before: short(command.text),
    detail: `"${file}", by which the project is tested, does not run any more: ${short(command.text)}.`,
  }
}

const masked = (file: string, now: Weighty, detail: string, old?: Weighty): TamperFinding => ({
  ...common(file, now),
  kind: 'exit-masked',
  severity: 'block',
  ...(old && { before: short(old.command.text) }),
  detail,
})

const common = (file: string, { command }: Weighty) => ({ file, line: command.line, after: short(command.text) })

/** An end with success that was not there, before the last command that can fail; and a trap that ends so. */
function endings(file: string, before: string, after: string, now: readonly Weighty[]): TamperFinding[] {
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
    const ends = words.some((word, i) => /^(?:exit|return)$/.test(word) && /^0?$/.test(words[i + 1] ?? '')) || replaces
    const early = ends && command.line <= last && !asksForHelp(after, command.line)
    if (!trap && !early) return []
    const why = trap ? 'a trap decides how it ends' : 'it ends with success before everything was run'
    return [masked(file, { command, words }, `In "${file}": ${why}.`)]
  })
}

/** `--help) usage; exit 0 ;;`. */
function asksForHelp(text: string, line: number): boolean {
  const near = text
    .split('\n')
    .slice(Math.max(0, line - 4), line)
    .join('\n')
  return /--?(?:h|help|version|usage)["']?\)|= *["']?--?(?:h|help|version)\b/.test(near)
}

/** A function or alias with the name of a program that the script starts. */
function shadows(file: string, was: readonly Weighty[], before: string, after: string): TamperFinding[] {
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
            detail: `In "${file}": ${name} is something else than the program of that name.`,
          },
        ],
  )
}
