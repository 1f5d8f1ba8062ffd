import { dirname, join, relative, resolve, sep } from 'node:path'
import { repositoryPath, repositoryRoot } from '../../system/git.ts'
import { gitFolderOf } from '../../system/git-folder.ts'
import { filesUnder } from '../find-files.ts'
import { outputOf, unknownIn } from '../git-status.ts'
import type { Workspace } from '../types.ts'
import { contentId } from './content-id.ts'
import type { IgnoreRules } from './stored-baseline.ts'

const IGNORED = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']
/** More than any real list of ignored places, where a folder counts as one. */
const MOST_IGNORED = 20_000
/** Paths for one git process, whose command line is limited. */
const ASKED_AT_ONCE = 400
const MOST_HIDDEN = 20_000

/** Tools create these folders, with an ignore file of their own inside. */
const TOOL_FOLDERS =
  /(?:^|\/)(?:node_modules|\.?venv|\.tox|\.nox|\.exitgate|__pycache__|\.[\w-]*cache[\w-]*|coverage)\//

const list = (out: string | undefined) => (out ?? '').split('\0').filter((path) => path !== '')

/** Rule files that no list of the workspace's files shows, each with the hash of its content (empty: it does not exist). */
async function rulesOutsideList(workspace: Workspace, top: string): Promise<Record<string, string>> {
  const usualDir = `${top}/.git`
  const { gitDir, commonDir } = gitFolderOf(workspace.dir, top) ?? {}
  const [exclude, global] = await Promise.all([
    gitDir === usualDir && commonDir === usualDir
      ? `${usualDir}/info/exclude`
      : workspace.git(['rev-parse', '--git-path', 'info/exclude']),
    workspace.git(['config', '--type=path', '--get', 'core.excludesFile']),
  ])
  const named = [exclude, global].flatMap((out) => (out ?? '').split('\n').slice(0, 1)).filter((path) => path !== '')
  const usual = join(process.env.XDG_CONFIG_HOME || join(process.env.HOME ?? '/', '.config'), 'git', 'ignore')
  const paths = [...named.map((path) => resolve(workspace.dir, path)), usual]
  for (let above = workspace.dir; above !== top && above !== dirname(above); ) {
    above = dirname(above)
    paths.push(join(above, '.gitignore'))
  }
  return Object.fromEntries(paths.map((path) => [path, contentId(path, 'sha256') ?? '']))
}

export async function ignoreRules(workspace: Workspace): Promise<IgnoreRules> {
  const top = repositoryRoot(workspace.dir)
  if (top === undefined) return { ignored: [], outside: {} }
  const [ignored, outside] = await Promise.all([workspace.git(IGNORED), rulesOutsideList(workspace, top)])
  return { ignored: list(ignored).slice(0, MOST_IGNORED), outside }
}

/** The ignored places: from git's status if the list was made with one. */
async function ignoredNow(workspace: Workspace, listed: readonly string[]): Promise<readonly string[]> {
  const status = outputOf(listed)?.status
  const place = status === undefined ? undefined : repositoryPath(workspace.dir)
  return status === undefined || place === undefined
    ? list(await workspace.git(IGNORED))
    : unknownIn(status, place.prefix, '!')
}

/** Whether a path is at or under one of the places that were ignored then. */
export function wasIgnored(rules: IgnoreRules): (path: string) => boolean {
  const places = new Set(rules.ignored)
  return (path) => {
    if (places.has(path)) return true
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      if (places.has(path.slice(0, at + 1))) return true
    }
    return false
  }
}

/**
 * Files that are ignored now only because of a rule written since the baseline. They count as added. What the original rules ignore
 * (caches, build output) does not.
 */
export async function hiddenSince(
  workspace: Workspace,
  listed: readonly string[],
  rules: IgnoreRules,
  ruleTextThen: (path: string) => string | undefined,
): Promise<string[]> {
  const before = wasIgnored(rules)
  const fresh = (await ignoredNow(workspace, listed)).filter((path) => !before(path) && !TOOL_FOLDERS.test(path))
  if (fresh.length === 0) return []
  const top = repositoryRoot(workspace.dir) ?? workspace.dir
  const outside = await rulesOutsideList(workspace, top)
  const isOld = (source: string, rule: string) => {
    const full = resolve(top, source)
    if (rules.outside[full] !== undefined) return rules.outside[full] === outside[full]
    const then = ruleTextThen(relative(workspace.dir, full).split(sep).join('/')) ?? ''
    return then.split(/\r?\n/).some((line) => line.trim() === rule.trim())
  }
  const under = (folder: string) => filesUnder(workspace.dir, folder.replace(/\/$/, ''))
  const hidden: string[] = []
  // Grows: if no rule matches a folder, rules inside it ignore its files.
  const open = fresh
  for (let asked = 0; asked < Math.min(open.length, MOST_IGNORED); asked += ASKED_AT_ONCE) {
    for (const [path, source, rule] of await reasons(workspace, open.slice(asked, asked + ASKED_AT_ONCE))) {
      if (source === '') open.push(...under(path))
      else if (!isOld(source, rule)) hidden.push(...(path.endsWith('/') ? under(path) : [path]))
    }
  }
  return [...hidden, ...open.slice(MOST_IGNORED)].slice(0, MOST_HIDDEN)
}

type Reason = readonly [path: string, source: string, rule: string]

/** For each path, the rule that ignores it and the file that contains the rule; both empty if no rule does. */
async function reasons(workspace: Workspace, paths: readonly string[]): Promise<Reason[]> {
  const answer = await workspace.git(['check-ignore', '--no-index', '-v', '-n', '--', ...paths])
  const lines = (answer ?? '').split('\n').filter((line) => line !== '')
  // If in doubt, a path counts as hidden: git answers line by line, in the order of the input.
  if (lines.length !== paths.length) return paths.map((path) => [path, '?', ''])
  return paths.map((path, i) => {
    const [, source = '', rule = ''] = /^(.*?):\d*:(.*)\t/.exec(lines[i]!) ?? []
    return [path, source, rule]
  })
}
