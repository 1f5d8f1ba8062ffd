import { narrowings } from '../../../../packages/exitgate/src/checks/narrowing.ts'
import { isCiFile } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Changes } from '../changes.ts'
import type { TamperFinding, TamperKind } from '../finding.ts'
import { short } from '../finding.ts'
import { hasOnlyNewTests } from './ci.ts'
import { type Classified, classify } from './classify.ts'
import { type Recipe, recipesIn } from './read-recipes.ts'

/** Names of scripts that matter even if no command in them looks like a test. */
const WATCHED =
  /(?:^|[:._-])(?:test|tests|spec|check|verify|ci|lint|typecheck|coverage|e2e|unit|integration|validate|prepublishOnly|precommit|pre-commit|pre-push)(?:$|[:._-])/i

/** The original tests run with these as they were. */
const DECIDED_BY_RUN = /^(?:tasks\.)?(?:pre|post)?tests?(?::.*)?$|^testenv\b/

/** Changes to the project's other commands, which run as they are now. */
export function scriptFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change): TamperFinding[] => {
    if (isCiFile(change.path) || /(?:^|\/)node_modules\//.test(change.path) || change.before === undefined) return []
    const was = recipesIn(change.path, change.before)
    if (!was || was.length === 0) return []
    const now = change.after === undefined ? [] : (recipesIn(change.path, change.after) ?? [])
    const hook = /(?:^|\/)(?:\.husky|\.git\/hooks)\//.test(change.path)
    // A deleted settings file was deleted with its project. A deleted script file still counts as a change.
    if (change.after === undefined && /\.(?:json|toml|ini|cfg)$/.test(change.path)) return []
    if (change.after === undefined && !hook && isUnused(changes, change.path)) return []
    const running = new Set(
      now
        .flatMap(({ commands }) => commands)
        .map(classify)
        .filter(({ command }) => command.masked === undefined)
        .map(({ name }) => name),
    )
    const tests = now
      .flatMap(({ commands }) => commands)
      .filter((command) => classify(command).purpose === 'test' && command.masked === undefined).length
    return was.flatMap((before) => {
      const after = now.find(({ name }) => name === before.name)
      const watched =
        WATCHED.test(before.name) || before.commands.some((command) => classify(command).purpose === 'test')
      if (
        !watched ||
        DECIDED_BY_RUN.test(before.name) ||
        /(?:^|[:._-])(?:fix|watch|dev|debug|update|report|open|ui|clean|format)(?:$|[:._-])/i.test(before.name)
      )
        return []
      return recipeFindings(before, after, {
        file: change.path,
        lost: hook ? 'gate-touched' : 'script-changed',
        isNew: hasOnlyNewTests(changes),
        lintSeverity: LINT_NAME.test(before.name) ? 'block' : 'warn',
        stillRuns: (lost) =>
          (change.after === undefined && runsInChanged(changes, change.path, lost)) ||
          (before.name !== 'test' &&
            (running.has(lost.name) ||
              (after === undefined && tests > 0 && !/^(?:test|ci|check|verify)$/.test(before.name)))),
      })
    })
  })
}

/** Whether another changed script or CI file runs the command of a deleted script. */
const runsInChanged = (changes: Changes, path: string, lost: Classified) =>
  changes.all.some(
    (other) =>
      other.path !== path &&
      (isCiFile(other.path) || STARTS_FILES.test(other.path)) &&
      other.after?.includes(lost.name) === true,
  )

/** Files that start others. */
const STARTS_FILES =
  /(?:^|\/)(?:package\.json|composer\.json|(?:GNU)?[mM]akefile|[\w.-]+\.mk|\.?[jJ]ustfile|Taskfile\.ya?ml|tox\.ini|noxfile\.py|Rakefile|pyproject\.toml|setup\.cfg|[\w.-]+\.(?:sh|bash|zsh|ps1|cmd|bat))$|(?:^|\/)\.(?:husky|ci)\//

/** Whether nothing in the old tree started this deleted script: no command, CI file, recipe or other script. */
function isUnused(changes: Changes, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    !/^(?:tests?|ci|check|verify|run[-_]?tests?|build)\.\w+$/.test(name) &&
    !changes.commands.some(({ command }) => command.includes(name)) &&
    !changes.before.paths.some(
      (other) =>
        other !== path &&
        (isCiFile(other) || STARTS_FILES.test(other)) &&
        changes.before.read(other)?.includes(name) === true,
    )
  )
}

const LINT_NAME = /lint|typecheck|type-check|^types$|stan|analy[sz]e|vet|clippy/i

interface RecipeOptions {
  readonly file: string
  /** The kind of finding for a removed command. */
  readonly lost: TamperKind
  /** The severity of a removed lint or type check. */
  readonly lintSeverity: 'block' | 'warn'
  /** Whether leaving out a folder loses no test that was there. */
  readonly isNew: (folder: string) => boolean
  /** Whether the changed files still run the same command elsewhere. */
  readonly stillRuns?: (lost: Classified) => boolean
}

/** Where a recipe tests less than before. `after` is undefined if the recipe was removed. */
function recipeFindings(
  before: Recipe | undefined,
  after: Recipe | undefined,
  options: RecipeOptions,
): TamperFinding[] {
  const was = (before?.commands ?? []).map(classify)
  const now = (after?.commands ?? []).map(classify)
  const partners = partnersOf(was, now)
  const tested = was.some(({ purpose }) => purpose === 'test')
  const where = (after ?? before)!.name
  const findings: TamperFinding[] = []
  for (const each of now) {
    if (each.purpose === 'other') continue
    const partner = partners.get(each)
    const common = {
      file: options.file,
      line: each.command.line,
      after: short(each.command.text),
      ...(partner && { before: short(partner.command.text) }),
    }
    const runsToo = (other: Classified) =>
      other.command.masked === undefined &&
      other.name === each.name &&
      narrowings(each, other, options.isNew).length === 0
    if (partner && each.command.masked !== undefined && partner.command.masked === undefined && !now.some(runsToo)) {
      findings.push({
        ...common,
        kind: 'exit-masked',
        severity: 'block',
        detail: `Script "${where}": ${each.command.masked}. A failing command must fail the script.`,
      })
    }
    if (each.purpose !== 'test' || !tested) continue
    findings.push(
      ...narrowings(partner, each, options.isNew).map(
        ({ severity, masks, effect }): TamperFinding => ({
          ...common,
          kind: masks ? 'exit-masked' : 'script-changed',
          severity,
          detail: `Script "${where}": ${effect}. Undo this.`,
        }),
      ),
    )
  }
  return [...findings, ...lostCommands(was, now, partners, where, before, after, options)]
}

/** The old counterpart of each command: the same tool, or else a command with the same purpose. */
function partnersOf(was: readonly Classified[], now: readonly Classified[]): Map<Classified, Classified> {
  const partners = new Map<Classified, Classified>()
  const free = new Set(was)
  const take = (each: Classified, matches: (old: Classified) => boolean) => {
    const found = [...free].find(matches)
    if (!found || partners.has(each)) return
    partners.set(each, found)
    free.delete(found)
  }
  for (const each of now) take(each, (old) => old.command.text === each.command.text)
  for (const each of now) take(each, (old) => old.name === each.name && old.purpose === each.purpose)
  for (const each of now) if (each.purpose !== 'other') take(each, (old) => old.purpose === each.purpose)
  return partners
}

function lostCommands(
  was: readonly Classified[],
  now: readonly Classified[],
  partners: ReadonlyMap<Classified, Classified>,
  where: string,
  before: Recipe | undefined,
  after: Recipe | undefined,
  { file, lost, lintSeverity, stillRuns }: RecipeOptions,
): TamperFinding[] {
  const kept = new Set(partners.values())
  return was.flatMap((old): TamperFinding[] => {
    if (old.purpose === 'other' || kept.has(old) || stillRuns?.(old) === true) return []
    // Linters get merged and replaced, so one remaining linter is enough.
    if (old.purpose === 'lint' && now.some((each) => each.purpose === 'lint' && each.command.masked === undefined))
      return []
    const replacement = now.find(
      (each) =>
        each.purpose === 'other' &&
        !was.some(({ name }) => name === each.name) &&
        /(?:^|\/)[\w.-]+\.(?:sh|[cm]?[jt]s|py|rb)$|^(?:make|just|task|npm|pnpm|yarn)\b/.test(each.name),
    )
    const severity = replacement ? 'warn' : old.purpose === 'lint' ? lintSeverity : 'block'
    const what =
      after === undefined
        ? `Script "${where}" was removed and no longer runs`
        : replacement
          ? `Script "${where}" now runs "${short(replacement.command.text)}" instead of`
          : `Script "${where}" no longer runs`
    return [
      {
        kind: lost,
        severity,
        file,
        line: after?.line ?? before?.line ?? 1,
        before: short(old.command.text),
        ...(after && { after: short(after.commands.map(({ text }) => text).join(' ; ')) }),
        detail: `${what} "${short(old.command.text)}". Restore it.`,
      },
    ]
  })
}
