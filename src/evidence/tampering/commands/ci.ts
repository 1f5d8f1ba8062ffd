import { narrowings } from '../../../../packages/exitgate/src/checks/narrowing.ts'
import { isCiFile } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Changes } from '../changes.ts'
import { comparedTrees } from '../compare/tests.ts'
import type { Setting, TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { flatten } from '../settings/flatten.ts'
import { type Classified, type Command, classify, readCommands } from './classify.ts'
import { triggerFindings } from './workflow-triggers.ts'

/** A command that a CI service runs, and why it may not count. */
interface Step {
  readonly file: string
  readonly classified: Classified
  /** Why the service ignores its failure, or doesn't run it. */
  readonly optional?: string
}

const COMMANDS =
  /(?:^|\.)(?:run|script|before_script|after_script|command|commands|cmd|bash|pwsh|powershell|sh|install|test_script|entrypoint)(?:\.\d+)?$/
const OPTIONAL: readonly [RegExp, RegExp, string][] = [
  [
    /(?:^|\.)(?:continue-on-error|continueOnError|allow_failure|allow-failure|soft_fail|ignore_failure|ignoreFailure)$/,
    /^(?:true|yes|always)$/i,
    'its failure is ignored',
  ],
  [
    /(?:^|\.)if$/,
    /^(?:\$\{\{\s*)?(?:false|!true|0|github\.event_name == 'never')(?:\s*\}\})?$|never\(\)/,
    'it never runs',
  ],
  [/(?:^|\.)when$/, /^(?:manual|never)$/, 'it runs only when started by hand'],
  [/(?:^|\.)(?:enabled|condition)$/, /^(?:false|never\(\))$/, 'it never runs'],
]

/** Where CI tests less than before. All CI files are compared together, because steps can move between them. */
export function ciFindings(changes: Changes): TamperFinding[] {
  const files = changes.all.filter(({ path }) => isCiFile(path))
  if (files.length === 0) return []
  const was = files.flatMap((change) => stepsOf(change.path, change.before))
  const now = files.flatMap((change) => stepsOf(change.path, change.after))
  const untouched = () =>
    changes.after.paths
      .filter((path) => isCiFile(path) && !files.some((change) => change.path === path))
      .flatMap((path) => stepsOf(path, changes.after.read(path)))
  // Files that now call a workflow defined elsewhere.
  const callers = new Set(
    files.filter((change) => callsWorkflow(change.after) > callsWorkflow(change.before)).map(({ path }) => path),
  )
  return [
    ...stepFindings(was, now, untouched, callers, hasOnlyNewTests(changes)),
    ...files.flatMap((change) => triggerFindings(change)),
  ]
}

function stepFindings(
  was: readonly Step[],
  now: readonly Step[],
  untouched: () => readonly Step[],
  callers: ReadonlySet<string>,
  isNew: (folder: string) => boolean,
): TamperFinding[] {
  const findings: TamperFinding[] = []
  const free = new Set(now)
  const partner = new Map<Step, Step>()
  const pairBy = (matches: (old: Step, next: Step) => boolean) => {
    for (const old of was) {
      if (partner.has(old)) continue
      const found = [...free].find((next) => matches(old, next))
      if (found) {
        partner.set(old, found)
        free.delete(found)
      }
    }
  }
  pairBy(
    (old, next) =>
      old.file === next.file &&
      old.classified.command.text === next.classified.command.text &&
      old.optional === next.optional,
  )
  pairBy((old, next) => old.file === next.file && old.classified.command.text === next.classified.command.text)
  pairBy(
    (old, next) => old.classified.name === next.classified.name && old.classified.purpose === next.classified.purpose,
  )
  pairBy((old, next) => old.classified.purpose !== 'other' && old.classified.purpose === next.classified.purpose)
  for (const old of was) {
    if (old.classified.purpose === 'other') continue
    const next = partner.get(old)
    if (next) findings.push(...weakerStep(old, next, isNew))
    else if (!hasCopy(old, now, untouched)) findings.push(removedStep(old, now, untouched, callers))
  }
  return findings
}

function weakerStep(old: Step, next: Step, isNew: (folder: string) => boolean): TamperFinding[] {
  const { command } = next.classified
  const common = {
    file: next.file,
    line: command.line,
    before: short(old.classified.command.text),
    after: short(command.text),
  }
  const findings: TamperFinding[] = []
  if (next.optional !== undefined && old.optional === undefined)
    findings.push({
      ...common,
      kind: 'ci-weakened',
      severity: 'block',
      detail: `The CI step "${short(command.text)}" no longer counts: ${next.optional}. Undo this.`,
    })
  if (command.masked !== undefined && old.classified.command.masked === undefined)
    findings.push({
      ...common,
      kind: 'exit-masked',
      severity: 'block',
      detail: `CI: ${command.masked}. A failing command must fail the build.`,
    })
  if (next.classified.purpose !== 'test') return findings
  return [
    ...findings,
    ...narrowings(old.classified, next.classified, isNew).map(
      ({ flag, severity, masks, effect }): TamperFinding => ({
        ...common,
        kind: masks ? 'exit-masked' : 'ci-weakened',
        severity: masks ? severity : flag.startsWith('-') ? severity : 'warn',
        detail: `CI: ${effect}. Undo this.`,
      }),
    ),
  ]
}

/** Whether the tests in a folder, here or in a package, are all new, and none of them was elsewhere before. */
export const hasOnlyNewTests = (changes: Changes) => (folder: string) => {
  const isIn = (path: string) => folder !== '' && `/${path}`.includes(`/${folder}/`)
  const pairs = comparedTrees(changes)?.matched.pairs ?? []
  return (
    changes.after.paths.some(isIn) && !changes.before.paths.some(isIn) && !pairs.some(([, { file }]) => isIn(file.path))
  )
}

/** How many jobs are defined in other files. */
const callsWorkflow = (text: string | undefined) =>
  text?.match(/^\s+uses:\s*\S+\/workflows\/\S+|^\s*-?\s*(?:include|template|extends):/gm)?.length ?? 0

/** A working step that runs at least as much. */
const runsAll = ({ classified: next, optional }: Step, { classified }: Step) =>
  optional === undefined &&
  next.command.masked === undefined &&
  narrowings(classified, next).every(({ severity }) => severity !== 'block')

/** Another such step with the same name still exists: only one of several copies was removed. */
const hasCopy = (old: Step, now: readonly Step[], untouched: () => readonly Step[]) =>
  [...now, ...untouched()].some((next) => next.classified.name === old.classified.name && runsAll(next, old))

function removedStep(
  old: Step,
  now: readonly Step[],
  untouched: () => readonly Step[],
  callers: ReadonlySet<string>,
): TamperFinding {
  const { classified, file } = old
  // Deleting a file is a clean-up if another file serves the same purpose.
  const isCleanUp =
    callers.has(file) ||
    (!now.some((next) => next.file === file) &&
      [...now, ...untouched()].some((next) => next.classified.purpose === classified.purpose && runsAll(next, old)))
  return {
    kind: 'ci-weakened',
    severity: isCleanUp ? 'warn' : 'block',
    file,
    line: classified.command.line,
    before: short(classified.command.text),
    detail: `CI no longer runs "${short(classified.command.text)}". Restore the step.`,
  }
}

function stepsOf(path: string, text: string | undefined): Step[] {
  if (text === undefined) return []
  if (!/\.ya?ml$/.test(path)) return scriptSteps(path, text)
  const settings = flatten(path, text)
  const optional = settings.flatMap(({ key, value }) =>
    OPTIONAL.filter(([name, fits]) => name.test(key) && fits.test(value)).map(([, , why]) => ({
      under: key.replace(/\.?[^.]+$/, ''),
      why,
    })),
  )
  return settings.flatMap((setting): Step[] => {
    const why = optional.find(({ under }) => under !== '' && `${setting.key}.`.startsWith(`${under}.`))?.why
    return commandsOf(setting).map((command) => ({
      file: path,
      classified: classify(command),
      ...(why !== undefined && { optional: why }),
    }))
  })
}

/** The commands in a value; an action counts by its name. */
function commandsOf({ key, value, line }: Setting): Command[] {
  if (/(?:^|\.)uses$/.test(key)) {
    const name = value.split('@')[0]!
    return /lint|test|check|analy|coverage|codeql|sonar|ruff|biome/i.test(name) &&
      !/reporter|setup|report|upload|checkout|comment|annotate|summary/i.test(name)
      ? [{ text: `uses ${name}`, words: [`./${name}/lint`, 'lint'], line }].map((command) => ({
          ...command,
          words: ['pre-commit', name],
        }))
      : []
  }
  return COMMANDS.test(key) ? readCommands(value, line, true) : []
}

/** Jenkins and plain scripts. */
function scriptSteps(path: string, text: string): Step[] {
  if (!/Jenkinsfile/.test(path))
    return readCommands(text).map((command) => ({ file: path, classified: classify(command) }))
  const steps: Step[] = []
  for (const match of text.matchAll(
    /\b(?:sh|bat|powershell)\s*\(?\s*(?:(?:script|returnStatus)\s*:[^'"]*)?("""|'''|"|')([\s\S]*?)\1([^)\n]*)/g,
  )) {
    const line = text.slice(0, match.index).split('\n').length
    const around = text.slice(Math.max(0, match.index - 120), match.index + match[0].length)
    const why = /returnStatus:\s*true/.test(around.slice(-match[0].length - 30))
      ? 'its exit code is only returned'
      : /catchError[^{]*\{\s*[^}]*$/.test(text.slice(Math.max(0, match.index - 120), match.index))
        ? 'catchError hides its failure'
        : undefined
    steps.push(
      ...readCommands(match[2]!, line, true).map((command) => ({
        file: path,
        classified: classify(command),
        ...(why !== undefined && { optional: why }),
      })),
    )
  }
  return steps
}
