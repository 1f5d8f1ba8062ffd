import { openCorpus } from './corpus.mjs'
import { changedPaths, gitFolder, openObjects, treeOf } from './git-trees.mjs'
import { round } from './median.mjs'

export const name = 'commits'
export const about = 'real commits that the static part of the tampering check blocks; the goal is 0.5 % false blocks'
export const corpora = ['commits']

/** Each row names a repository, a commit and its parent, and for most blocked ones a judgement made by reading the diff. */
export async function run({ corpus, repos, only, full, print }) {
  const { rows, absent } = openCorpus(corpus, 'commits', (row) => 'sha' in row && 'parent' in row)
  if (absent !== undefined) return print(`  ${absent}`)
  if (repos === undefined)
    return print('  no repositories. Pass --repos DIR, a folder with a clone of each, named OWNER+NAME')
  const chosen = rows.filter(
    ({ repo, sha }) =>
      only === undefined || only.split(',').some((each) => repo.includes(each) || sha.startsWith(each)),
  )
  const results = []
  const missing = []
  for (const [repo, group] of groups(chosen)) {
    const git = gitFolder(repos, repo)
    if (git === undefined) missing.push(...group)
    else await checkRepository(git, group, results, missing, full ? print : () => {})
  }
  return report(results, missing, print)
}

function groups(rows) {
  const found = new Map()
  for (const row of rows) found.set(row.repo, [...(found.get(row.repo) ?? []), row])
  return found
}

async function checkRepository(git, rows, results, missing, print) {
  const { findTampering } = await import('./library.mjs')
  const objects = openObjects(git)
  // The time to load a grammar does not count.
  let warm = false
  try {
    for (const row of rows) {
      const [before, after] = [row.parent, row.sha].map((commit) => treeOf(git, commit, objects))
      if (before === undefined || after === undefined) {
        missing.push(row)
        continue
      }
      const changed = changedPaths(before, after)
      if (!warm) await findTampering(before, after, { changed })
      warm = true
      const started = performance.now()
      const findings = await findTampering(before, after, { changed })
      const ms = performance.now() - started
      const blocking = findings.filter(({ severity }) => severity === 'block')
      const kinds = [...new Set(blocking.map(({ kind }) => kind))]
      results.push({ ...row, now: kinds, ms })
      if (blocking.length > 0 || row.judged === 'true')
        print(`  ${row.repo} ${row.sha.slice(0, 10)} ${row.judged ?? '-'} ${row.category ?? ''} ${row.note ?? ''}`)
      for (const { kind, file, line, detail, before: was, after: is } of blocking)
        print(`    ${kind} ${file}:${line ?? ''} ${detail}\n      - ${was ?? ''}\n      + ${is ?? ''}`)
    }
  } finally {
    objects.close()
  }
}

function report(results, missing, print) {
  const count = (list, judged) => list.filter((row) => (row.judged ?? 'not judged') === judged).length
  const blocked = results.filter(({ now }) => now.length > 0)
  print('  rule                  blocked  false  legit  true  not judged')
  const byRule = {}
  for (const rule of [...new Set(blocked.flatMap(({ now }) => now))].sort()) {
    const rows = blocked.filter(({ now }) => now.includes(rule))
    const [wrong, legit, weakened, unjudged] = ['false', 'legit', 'true', 'not judged'].map((each) => count(rows, each))
    byRule[rule] = { blocked: rows.length, false: wrong, legit, true: weakened, notJudged: unjudged }
    print(
      `  ${rule.padEnd(20)} ${[rows.length, wrong, legit, weakened, unjudged].map((each, i) => String(each).padStart([8, 6, 6, 5, 11][i])).join(' ')}`,
    )
  }
  const share = (number, of) => (of === 0 ? 0 : Math.round((number / of) * 10_000) / 100)
  const wrong = count(blocked, 'false')
  const lost = results.filter(({ judged, now }) => judged === 'true' && now.length === 0)
  const total = { true: count(results, 'true'), legit: count(results, 'legit') }
  const added = blocked.filter(({ answer }) => answer === 'yes')
  const times = results.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (part) => round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0)
  print(`  ${results.length} commits, ${blocked.length} blocked (${share(blocked.length, results.length)} %)`)
  print(`  false blocks: ${wrong} (${share(wrong, results.length)} %)`)
  print(`  removed with their feature: ${count(blocked, 'legit')} of ${total.legit} blocked`)
  print(`  really weakened: ${total.true - lost.length} of ${total.true} blocked`)
  for (const { repo, sha, note } of lost) print(`    missed: ${repo} ${sha.slice(0, 10)} ${note ?? ''}`)
  print(`  blocked without a judgement: ${count(blocked, 'not judged')}`)
  for (const { repo, sha, now } of added) print(`    new: ${repo} ${sha.slice(0, 10)} ${now.join(', ')}`)
  print(`  time a commit: median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`)
  const slow = results.reduce((worst, row) => (row.ms > (worst?.ms ?? 0) ? row : worst), undefined)
  if (slow) print(`    worst: ${slow.repo} ${slow.sha.slice(0, 10)}`)
  print(`  memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most`)
  if (missing.length > 0) print(`  not available: ${missing.length} commits`)
  return {
    commits: results.length,
    missing: missing.length,
    blocked: blocked.length,
    falseBlocks: wrong,
    falsePercent: share(wrong, results.length),
    legitBlocked: count(blocked, 'legit'),
    true: total.true,
    trueMissed: lost.length,
    notJudged: count(blocked, 'not judged'),
    byRule,
    ms: { median: at(0.5), p95: at(0.95), worst: at(1) },
    megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  }
}
