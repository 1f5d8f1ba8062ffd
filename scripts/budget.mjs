// Counts the lines of the source by folder, for tests/budget.test.ts and for the last lines of `npm test`.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const TABLE = 'tests/budget.json'
const SOURCE = /^(?:src|packages\/[^/]+\/src)\/.*\.(?:ts|tsx|css|scm)$/
const TEST = /\.(?:test|spec)\.tsx?$/

/** The lines that each folder may have. A folder of `packages` starts with its ceiling, and `src` ends at 0. */
export const readBudget = (root) => JSON.parse(readFileSync(join(root, TABLE), 'utf8'))

/** Lines of each source file, by path. Tests next to their files don't count. */
export function sourceLines(root) {
  const files = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && ['src', 'packages'].includes(entry.name))
    .flatMap(({ name }) => readdirSync(join(root, name), { recursive: true }).map((path) => `${name}/${path}`))
    .filter((path) => SOURCE.test(path) && !TEST.test(path) && !path.includes('/node_modules/'))
  return new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8').split('\n').length - 1]))
}

/** The lines below a folder, or in it if its name ends with a slash. */
export function linesIn(folder, files) {
  const inside = folder.endsWith('/')
    ? (path) => path.startsWith(folder) && !path.slice(folder.length).includes('/')
    : (path) => path.startsWith(`${folder}/`)
  return [...files].reduce((sum, [path, lines]) => (inside(path) ? sum + lines : sum), 0)
}

/** The budgets that the present one may not exceed: the newest release's, or without a release those of all commits that git has. */
export function earlierBudgets(root) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout ?? ''
  const release = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname').split('\n')[0]
  const commits = release ? [release] : git('log', '--format=%H', '--', TABLE).split('\n').filter(Boolean)
  return commits.flatMap((commit) => {
    const text = git('show', `${commit}:${TABLE}`)
    return text ? [JSON.parse(text)] : []
  })
}

/** Numbers that are higher than in an earlier budget, and folders that an earlier budget does not have. */
export function raised(budget, earlier) {
  return earlier.flatMap((old) =>
    Object.entries(budget)
      .filter(([folder, lines]) => lines > (old[folder] ?? 0))
      .map(([folder, lines]) => `${folder}: ${old[folder] ?? 'no room'} -> ${lines}`),
  )
}

/** One line for people: how much source there is, the direction, and where it ends. */
export function budgetLine(root) {
  const sum = (numbers) => numbers.reduce((total, lines) => total + lines, 0)
  const rows = Object.entries(readBudget(root))
  const source = sum([...sourceLines(root).values()])
  const change = source - sum(rows.filter(([folder]) => folder.startsWith('src/')).map(([, lines]) => lines))
  const goal = sum(rows.filter(([folder]) => /^packages\/[^/]+$/.test(folder)).map(([, lines]) => lines))
  const direction =
    change === 0 ? 'as in' : `${Math.abs(change).toLocaleString('en')} ${change < 0 ? 'below' : 'above'}`
  return `source: ${source.toLocaleString('en')} lines, ${direction} its budget; the goal is ${goal.toLocaleString('en')}`
}
