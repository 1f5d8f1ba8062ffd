import { openCorpus } from './corpus.mjs'
import { changedPaths, gitFolder, openObjects, treeOf } from './git-trees.mjs'
import { canRunSolutions, tryWarnings } from './run-solutions.mjs'

export const name = 'honest-code'
export const about = 'honest code and commits in which special-cased finds something; the goal is none'
export const corpora = ['commits']

const LANGUAGES = ['javascript', 'typescript', 'python', 'go']

/** The solutions of exercism/python, and commits of public repositories, each compared with its parent. */
export async function run({ corpus, repos, only, print }) {
  if (repos === undefined)
    return print('  no repositories. Pass --repos DIR, a folder with a clone of each, named OWNER+NAME')
  const found = []
  const exercises = await exercism(repos, found)
  print(`  exercism/python: ${exercises} solutions, ${line(found)}`)
  const { rows = [], absent } = openCorpus(corpus, 'commits', (row) => 'sha' in row && 'parent' in row)
  if (absent !== undefined) print(`  no commits: ${absent}`)
  const commits = await checkCommits(
    rows.filter(({ repo, language }) =>
      only === undefined ? LANGUAGES.includes(language) : only.split(',').some((each) => repo.includes(each)),
    ),
    repos,
    print,
  )
  for (const each of [...found, ...commits.found]) print(`    ${each.severity} ${each.where}: ${each.what}`)
  return { exercises, exerciseFindings: found.length, ...commits, found: commits.found.length }
}

const line = (found) =>
  `${found.length} findings, ${found.filter(({ severity }) => severity === 'block').length} of them rejections`

const told = (where, found) =>
  found.map(({ path, severity, answered }) => ({
    where,
    severity,
    what: [...new Set(answered.map(({ line, test }) => `${path}:${line} ${test.file}:${test.line}`))]
      .slice(0, 4)
      .join(', '),
  }))

/** Each solution takes the place of the empty file that people start with. */
async function exercism(repos, found) {
  const { findSpecialCases } = await import('./library.mjs')
  const git = gitFolder(repos, 'exercism/python')
  if (git === undefined) return 0
  const objects = openObjects(git)
  let solutions = 0
  const here = []
  try {
    const tree = treeOf(git, 'HEAD', objects)
    for (const path of tree.paths.filter((each) => /^exercises\/.*_test\.py$/.test(each))) {
      const folder = path.slice(0, path.lastIndexOf('/') + 1)
      const stub = path.replace(/_test\.py$/, '.py')
      const own = tree.paths.filter((each) => each.startsWith(folder))
      for (const solution of own.flatMap((each) => solutionsIn(each, tree.read(each) ?? ''))) {
        solutions += 1
        const changes = [{ path: stub, before: tree.read(stub), after: solution.text }]
        const [first] = await findSpecialCases(changes, [path], tree.read)
        if (first !== undefined)
          here.push({ found: first, source: solution.text, tests: tree.read(path), stub, solution })
      }
    }
    const tried = canRunSolutions() ? await tryWarnings(here, jobOf) : here.map((each) => each.found.severity)
    for (const [at, { found: each, solution }] of here.entries())
      if (tried[at] !== undefined) found.push(...told(solution.path, [{ ...each, severity: tried[at] }]))
  } finally {
    objects.close()
  }
  return solutions
}

const jobOf = ({ tests, stub }, solution) => ({ solution, tests, module: /([^/]+)\.py$/.exec(stub)[1] })

/** The example solution, and the programs in the descriptions of other approaches. */
function solutionsIn(path, text) {
  if (/\.meta\/(?:example|exemplar)\.py$/.test(path)) return [{ path, text }]
  if (!/\.approaches\/.*\.md$/.test(path)) return []
  return [...text.matchAll(/^```python\n(.*?)^```/gms)]
    .map(([, code], at) => ({ path: `${path}#${at + 1}`, text: code.replace(/^>>>.*$/gm, '') }))
    .filter(({ text }) => /^(?:def|class) /m.test(text))
}

async function checkCommits(rows, repos, print) {
  const { findSpecialCases } = await import('./library.mjs')
  const found = []
  let [commits, withSource, missing, worst] = [0, 0, 0, 0]
  for (const repo of new Set(rows.map((row) => row.repo))) {
    const git = gitFolder(repos, repo)
    const own = rows.filter((row) => row.repo === repo)
    if (git === undefined) {
      missing += own.length
      continue
    }
    const objects = openObjects(git)
    const counts = [commits, withSource, found.length]
    try {
      for (const { sha, parent } of own) {
        const [before, after] = [parent, sha].map((commit) => treeOf(git, commit, objects))
        if (before === undefined || after === undefined) {
          missing += 1
          continue
        }
        commits += 1
        const changes = changedPaths(before, after)
          .map((path) => ({ path, before: before.read(path), after: after.read(path) }))
          .filter((change) => change.after !== undefined)
        if (changes.some(({ path }) => /\.(?:[cm]?[jt]sx?|py|go)$/.test(path) && !/test|spec/i.test(path)))
          withSource += 1
        const started = performance.now()
        const here = await findSpecialCases(changes, after.paths, after.read)
        worst = Math.max(worst, performance.now() - started)
        found.push(...told(`${repo} ${sha.slice(0, 10)}`, here))
      }
    } finally {
      objects.close()
    }
    print(
      `  ${repo.padEnd(24)} ${commits - counts[0]} commits, ${withSource - counts[1]} change source, ${line(found.slice(counts[2]))}`,
    )
  }
  print(`  ${commits} commits, ${withSource} change source, ${missing} not available, ${line(found)}`)
  print(`  the slowest took ${Math.round(worst)} ms`)
  return { commits, withSource, missing, found, worstMs: Math.round(worst) }
}
