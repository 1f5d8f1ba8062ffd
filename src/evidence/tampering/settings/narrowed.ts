import {
  holdsTests,
  isCiFile,
  isRunnerConfig,
  isTestFile,
} from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Changes } from '../changes.ts'
import { classify, readCommands } from '../commands/classify.ts'
import { narrowings } from '../commands/narrowing.ts'
import { recipesIn } from '../commands/read-recipes.ts'
import type { Setting, TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { flatten } from './flatten.ts'
import { patternFindings } from './patterns.ts'
import { RULES, type SettingChange } from './rules.ts'

/** What the runner's settings newly leave out or let pass. */
export function settingFindings(changes: Changes): TamperFinding[] {
  const files = changes.all.filter(
    ({ path }) => isRunnerConfig(path) || /codecov\.ya?ml$|maven\.config$|\.properties$/.test(path),
  )
  if (files.length === 0) return []
  const known = testPaths(changes)
  return files.flatMap((change) => {
    const was = byKey(change.path, change.before)
    const now = byKey(change.path, change.after)
    if (change.before === undefined && isForNewTests(change.path, changes)) return []
    // Settings from a deleted file may have moved to another.
    const moved = change.after === undefined || isMoved(changes, change.path)
    return [...new Set([...was.keys(), ...now.keys()])].flatMap((key) => {
      const rule = RULES.find((each) => each.key.test(key) && (each.file === undefined || each.file.test(change.path)))
      if (!rule) return []
      const settings = { file: change.path, key, rule, was: was.get(key) ?? [], now: now.get(key) ?? [] }
      if (isUnchanged(settings) || (settings.now.length === 0 && moved && isElsewhere(changes, change.path, settings)))
        return []
      return findingsFor(
        { ...settings, otherProjects: otherProjects(now) },
        changes,
        known.filter(isBelow(change.path)),
      )
    })
  })
}

/** Settings apply to the tests in their own folder. */
const isBelow = (config: string) => (path: string) => path.startsWith(config.slice(0, config.lastIndexOf('/') + 1))

/** A first configuration that no test and no command that existed before uses. */
function isForNewTests(path: string, changes: Changes): boolean {
  // No runner loads a file with another name by itself.
  if (isExtraConfig(path)) return !isNowUsed(changes, path)
  const runner = /(?:^|\/)(playwright|cypress|wdio|nightwatch|testcafe|detox|codecept)\b[\w.-]*$/.exec(path)?.[1]
  const { paths, read } = changes.before
  const lists = paths.filter((each) => /(?:^|\/)(?:package\.json|Makefile)$/.test(each) || isCiFile(each))
  if (runner !== undefined) return !lists.some((each) => read(each)?.includes(runner))
  // A folder that is new: nothing that ran before is below it.
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return folder !== '' && !paths.some((each) => each.startsWith(folder))
}

/** `vitest.compile.config.ts`: the runner reads it only if a command names it. */
const isExtraConfig = (path: string) =>
  /(?:^|\/)(?:vitest|vite|jest|playwright|cypress|karma|wdio|ava|jasmine)\.[\w-]+\.(?:config|conf)\.\w+$/.test(path)

/** Whether a script that existed before now names this file. */
function isNowUsed(changes: Changes, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return changes.all.some(({ path: other, before, after }) => {
    if (before === undefined || after?.includes(name) !== true) return false
    if (isCiFile(other)) return true
    const known = new Set((recipesIn(other, before) ?? []).map((recipe) => recipe.name))
    return (recipesIn(other, after) ?? []).some(
      (recipe) => known.has(recipe.name) && recipe.commands.some(({ text }) => text.includes(name)),
    )
  })
}

const projectOf = (key: string) => /^.*\b(?:projects|workspace)\.\d+(?=\.)/.exec(key)?.[0]

/** Whether another project in the same file runs what this project leaves out. */
function otherProjects(now: ReadonlyMap<string, readonly Setting[]>): NonNullable<SettingChange['otherProjects']> {
  const all = [...now.values()].flat().filter(({ key }) => projectOf(key) !== undefined)
  return (excluded, matches) =>
    all.some(
      ({ key, value }) =>
        /\.include(?:\.\d+)?$/.test(key) &&
        projectOf(key) !== projectOf(excluded.key) &&
        matches(value) &&
        !all.some(
          (other) =>
            projectOf(other.key) === projectOf(key) && /\.exclude(?:\.\d+)?$/.test(other.key) && matches(other.value),
        ),
    )
}

const isUnchanged = ({ was, now }: SettingChange) =>
  was.length === now.length && was.map(({ value }) => value).join('\n') === now.map(({ value }) => value).join('\n')

const isMoved = (changes: Changes, path: string) =>
  changes.all.some((other) => other.path !== path && isRunnerConfig(other.path))

/** Another changed settings file has the same value. */
function isElsewhere(changes: Changes, path: string, { key, was }: SettingChange): boolean {
  const name = key.split('.').at(-1)!
  const values = was.map(({ value }) => value).join()
  return changes.all.some(({ path: other, after }) => {
    if (other === path || after === undefined || !isRunnerConfig(other)) return false
    const found = byKey(other, after)
    return [...found].some(
      ([otherKey, settings]) =>
        otherKey.split('.').at(-1) === name && settings.map(({ value }) => value).join() === values,
    )
  })
}

/** Settings by key, without list indexes. */
function byKey(path: string, text: string | undefined): Map<string, Setting[]> {
  const found = new Map<string, Setting[]>()
  for (const setting of text === undefined ? [] : flatten(path, text)) {
    const key = /^(?:lib|bin|test|bench|example)\.\d+\./.test(setting.key)
      ? setting.key
      : setting.key.replace(/\.\d+(?=\.|$)/g, '')
    found.set(key, [...(found.get(key) ?? []), setting])
  }
  return found
}

/** Test files that existed before. Settings could hide them. */
function testPaths(changes: Changes): string[] {
  const named = changes.before.paths.filter(
    (path) => isTestFile(path) || /(?:^|\/)(?:tests?|specs?|__tests__)\/.*\.\w+$/.test(path),
  )
  // If there are very many, their content is not read.
  return named.length > 3000 ? named : named.filter((path) => holdsTests(path, changes.before.read(path) ?? ''))
}

function findingsFor(change: SettingChange, changes: Changes, known: readonly string[]): TamperFinding[] {
  const { rule, file, key, was, now } = change
  const line = now[0]?.line ?? was[0]?.line ?? 1
  const texts = {
    ...(was.length > 0 && { before: short(`${key}: ${was.map(({ value }) => value).join(', ')}`) }),
    ...(now.length > 0 && { after: short(`${key}: ${now.map(({ value }) => value).join(', ')}`) }),
  }
  // A settings file deleted together with a change of the package file is a migration.
  const migrated =
    !changes.after.paths.includes(file) &&
    changes.all.some(({ path }) => /(?:^|\/)(?:package\.json|pyproject\.toml|composer\.json)$/.test(path))
  const finding = (
    severity: 'block' | 'warn',
    detail: string,
    kind: TamperFinding['kind'] = 'runner-narrowed',
  ): TamperFinding => ({
    kind,
    severity: migrated ? 'warn' : (rule.severity ?? severity),
    file,
    line,
    ...texts,
    detail,
  })
  switch (rule.meaning) {
    case 'excludes':
    case 'includes':
      return patternFindings(change, known, finding)
    case 'threshold':
      return thresholdFindings(change, finding)
    case 'options':
      return optionFindings(change, finding)
    case 'lets-pass': {
      const bad = now.some(
        ({ value }) => /^(?:true|all|always|yes|1)$/i.test(value) || (/^\d+$/.test(value) && value !== '0'),
      )
      const tested = known.length > 0 || changes.tests.length > 0 || !/passWithNoTests/.test(key)
      return bad ? [finding(tested ? 'block' : 'warn', `${key} lets a failing run pass. Remove it.`)] : []
    }
    case 'strict': {
      const strictBefore = was.some(({ value }) => /^true$/i.test(value) || /process|!!|env/.test(value))
      const off = now.some(({ value }) => /^false$/i.test(value))
      const byDefault = /\.(?:test|harness|doctest)$|auto(?:tests|bins)$|IsTestProject$/.test(key)
      return (strictBefore && (off || now.length === 0) && !byDefault) || (byDefault && off)
        ? [finding('block', `${key} is off now. Turn it on again.`)]
        : []
    }
    case 'retries':
      return now.some(({ value }) => !/^0?$/.test(value)) && !was.some(({ value }) => !/^0?$/.test(value))
        ? [finding('warn', 'Failing tests are retried until they pass. Remove the retries.')]
        : []
    case 'program':
      return now.some(({ value }) => /^(?:<rootDir>|\.{1,2})?\//.test(value) || /^(?:<rootDir>|\.)/.test(value))
        ? [
            finding(
              'block',
              `${key} is now a program of this project: ${now.map(({ value }) => value).join()}. Use the original one.`,
              'runner-patched',
            ),
          ]
        : []
  }
}

type MakeFinding = (severity: 'block' | 'warn', detail: string, kind?: TamperFinding['kind']) => TamperFinding

function thresholdFindings({ key, was, now }: SettingChange, finding: MakeFinding): TamperFinding[] {
  const [old, next] = [numberOf(was[0]?.value), numberOf(now[0]?.value)]
  if (old === undefined) return []
  if (next === undefined && now.length > 0) return []
  if (next !== undefined && next >= old) return []
  return [
    finding(
      'block',
      next === undefined
        ? `The threshold "${key}" of ${old} was removed. Restore it.`
        : `The threshold "${key}" dropped from ${old} to ${next}. Restore it.`,
      'threshold-lowered',
    ),
  ]
}

const numberOf = (text: string | undefined) => {
  const match = /^-?\d+(?:\.\d+)?/.exec(text ?? '')
  return match ? Number(match[0]) : undefined
}

/** Options in a settings file, checked as if they were on the command line. */
function optionFindings({ was, now }: SettingChange, finding: MakeFinding): TamperFinding[] {
  const asCommand = (settings: readonly Setting[]) =>
    classify(readCommands(`pytest ${settings.map(({ value }) => value.replaceAll('\n', ' ')).join(' ')}`)[0]!)
  const [before, after] = [asCommand(was), asCommand(now)]
  const under = (args: readonly string[]) => /--cov-fail-under[= ](\d+)/.exec(args.join(' '))?.[1]
  const [old, next] = [under(before.args), under(after.args)]
  const lowered =
    old !== undefined && Number(next ?? 0) < Number(old)
      ? [
          finding(
            'block',
            `The coverage threshold dropped from ${old} to ${next ?? 'none'}. Restore it.`,
            'threshold-lowered',
          ),
        ]
      : []
  const plugins = after.args.filter(
    (arg, i) => !before.args.includes(arg) && after.args[i - 1] === '-p' && /^no:/.test(arg),
  )
  return [
    ...lowered,
    ...narrowings(before, after).map(({ severity, effect }) =>
      finding(severity, `Test runner options: ${effect}. Undo this.`),
    ),
    ...plugins.map((plugin) => finding('warn', `The plugin ${plugin.slice(3)} is turned off. Turn it on again.`)),
  ]
}
