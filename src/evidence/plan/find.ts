import { accessSync, constants, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ConfigError } from '../../config/errors.ts'
import { entriesOf } from '../../system/file-names.ts'
import { errorCode } from '../../system/files.ts'
import { type ChecklistOptions, planOf } from '../checks/checklist.ts'
import type { Workspace } from '../types.ts'

/** The plan of a run whose user named none. */
export type PlanSearch =
  | { readonly kind: 'found'; readonly path: string; readonly why: 'named' | 'only' }
  /** More than one file could be it. */
  | { readonly kind: 'several'; readonly paths: readonly string[] }
  | { readonly kind: 'none' }

/** Names that people and loops give to the plan of one piece of work. */
const USUAL =
  /^(?:@?(?:[a-z]{2,16}[ _-])?plan|to-?dos?|tasks?|task[_-]?list|backlog|roadmap|prd)\.(?:md|markdown)$|^(?:prd|feature[_-]?list)\.json$/i
const FOLDERS = ['.', '.ralph', '.agent', '.planning', 'docs', 'plans', 'specs']
/** In the docs these are about the product, not about one piece of work. */
const OF_PRODUCT = /^docs\/(?:roadmap|backlog)\./i

/** Files whose boxes are forms or notes, even if the prompt names them. */
const NO_PLAN =
  /(?:^|\/)(?:readme|changelog|changes|history|releas|contributing|code_of_conduct|security|license|agents|claude|gemini|prompt)[^/]*$|template|(?:^|\/)(?:\.github|\.gitlab|node_modules|vendor|tests?|__tests__|fixtures?|testdata|examples?|samples?)\//i
/** Programs keep their data in JSON with the same shape, so only the name tells a plan from them. */
const JSON_PLAN = /(?:^|\/)[^/]*(?:prd|plan|feature|stories|backlog|roadmap)[^/]*\.json$|^\.taskmaster\//i

/** Larger files are not read: the plan is read again after every iteration. */
const MOST_CHARACTERS = 2_000_000
const MOST_TEXT = 200_000

/**
 * The plan that the user's texts name, or the only file with a usual name. It must have open items: a finished list says nothing about
 * this run.
 */
export function findPlan(
  workspace: Pick<Workspace, 'dir' | 'read'>,
  texts: readonly string[],
  options: ChecklistOptions & { readonly onlyNamed?: boolean } = {},
): PlanSearch {
  const isOpen = (path: string) => hasOpenItems(workspace, path, options)
  const { meant, excluded } = namedIn(workspace.dir, texts)
  const named = distinct(workspace.dir, meant.filter(isOpen))
  const usualNamed = named.filter(isUsual)
  const [first] = usualNamed.length === 1 ? usualNamed : named
  if (first !== undefined && (named.length === 1 || usualNamed.length === 1))
    return { kind: 'found', path: first, why: 'named' }
  if (named.length > 1) return { kind: 'several', paths: named }
  if (options.onlyNamed === true) return { kind: 'none' }
  const usual = distinct(
    workspace.dir,
    usualFiles(workspace.dir).filter((path) => !excluded.has(path) && isOpen(path)),
  )
  if (usual[0] === undefined) return { kind: 'none' }
  return usual.length === 1 ? { kind: 'found', path: usual[0], why: 'only' } : { kind: 'several', paths: usual }
}

/** Read from the folders, because some file systems find `PLAN.md` under the name `plan.md` too. */
const usualFiles = (dir: string): readonly string[] =>
  FOLDERS.flatMap((folder) =>
    entriesOf(join(dir, folder))
      .filter(({ name, isDirectory }) => !isDirectory && USUAL.test(name))
      .map(({ name }) => (folder === '.' ? name : `${folder}/${name}`)),
  ).filter((path) => !OF_PRODUCT.test(path))

const isUsual = (path: string): boolean => USUAL.test(path.slice(path.lastIndexOf('/') + 1))

function hasOpenItems(
  { dir, read }: Pick<Workspace, 'dir' | 'read'>,
  path: string,
  options: ChecklistOptions,
): boolean {
  const text = read(path)
  if (text === undefined) assertReadable(join(dir, path))
  if (text === undefined || text.length > MOST_CHARACTERS) return false
  const plan = planOf(path, text, options)
  return typeof plan === 'object' && plan.open > 0
}

/** Without it, a claim would be verified although the plan may have open items. */
function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    if (/^E(?:ACCES|PERM)$/.test(errorCode(error)))
      throw new ConfigError(`The plan ${path} can't be read. Check its permissions, or pass --no-plan.`)
  }
}

const PATH = /(?<![\w./@~-])@?(?:\/|\.\/)?(?:[\w.@-]+\/)*[\w.@-]+\.(?:md|markdown|json)(?![\w/-])/gi
/** The words before the name of a file that is not part of the work. */
const NOT_MEANT =
  /\b(?:ignor(?:e|es|ing)|skip|except|unlike|out of scope:?|(?:do not|don't|don’t|never|must not|without) (?:touch|edit|chang|modif|updat|us|read|open|look|follow|work|tick)\w*)\b[^.!?;:\n]*$/i

/** The file itself is to be changed, so its boxes are content. */
const EDITED =
  /\b(?:fix|typos?|updat|edit|rewrit|translat|renam|format|lint|pars|render|convert|mov|delet|remov|split|writ|improv|document|creat|add|generat)\w*\b[^.!?;:\n]*$/i
const ABOUT_WORK =
  /\b(?:plan|tasks?|items?|steps?|box(?:es)?|checklist|features?|requirements?|stories|everything|all|listed|described)\b/i

/** Whether the file describes the work, by the words before its name. */
function isMeant(path: string, before: string): boolean {
  if (NOT_MEANT.test(before)) return false
  const edited = isUsual(path) ? undefined : EDITED.exec(before)?.[0]
  return edited === undefined || ABOUT_WORK.test(edited)
}

/** Files that the texts name. If every mention of one says to leave it alone, it is excluded. */
function namedIn(dir: string, texts: readonly string[]) {
  const mentions = texts.flatMap((whole) => {
    const text = whole.slice(0, MOST_TEXT)
    return [...text.matchAll(PATH)].flatMap((match) => {
      const path = existing(dir, match[0])
      if (path === undefined) return []
      return [{ path, meant: isMeant(path, text.slice(Math.max(0, match.index - 200), match.index)) }]
    })
  })
  const all = [...new Set(mentions.map(({ path }) => path))]
  const isNamed = (path: string) => mentions.some((each) => each.path === path && each.meant)
  const isPlan = (path: string) => !NO_PLAN.test(path) && (!/\.json$/i.test(path) || JSON_PLAN.test(path))
  return {
    meant: all.filter((path) => isNamed(path) && isPlan(path)),
    excluded: new Set(all.filter((path) => !isNamed(path))),
  }
}

/** The path of a file in the workspace as its folder lists it. In a prompt, `@plan.md` may only point to `plan.md`. */
function existing(dir: string, mention: string): string | undefined {
  for (const given of new Set([mention, mention.replace(/^@/, '')])) {
    const inside = given.startsWith('/') ? relative(dir, given) : given.replace(/^(?:\.\/)+/, '')
    const parts = inside.split('/')
    if (parts.includes('..')) continue
    const name = parts.pop() ?? ''
    const names = entriesOf(join(dir, ...parts)).flatMap((entry) => (entry.isDirectory ? [] : [entry.name]))
    const found = names.find((each) => each === name) ?? names.find((each) => each.toLowerCase() === name.toLowerCase())
    if (found !== undefined) return [...parts, found].join('/')
  }
  return undefined
}

/** A link to another candidate is the same plan. */
function distinct(dir: string, paths: readonly string[]): readonly string[] {
  const seen = new Map<string, string>()
  for (const path of paths) {
    const real = realpathSync(join(dir, path))
    if (!seen.has(real) || relative(dir, real) === path) seen.set(real, path)
  }
  return [...seen.values()].sort()
}
