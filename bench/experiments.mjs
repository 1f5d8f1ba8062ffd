// Real commits through the whole program: the parent is the start of a run, a scripted agent puts the commit's files there and claims.
// --corpus is a folder with experiments.jsonl. Each line names a repository: { "repo": "OWNER/NAME", "install": "npm ci", "test":
// "npx vitest run" }, and in "commits" the commits, as { sha, parent }. Without "commits", the newest that change product code and an
// existing test file are chosen from the clone. Results go to rows/OWNER+NAME.jsonl in that folder. Commits that are there don't run
// again. judged.jsonl has what you found in refused ones: { "sha", "judged": "false" | "removal" | "true", "note" }.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCorpus } from './corpus.mjs'
import { claimCommit, openPlace } from './experiments/claim.mjs'
import { chooseCommits } from './experiments/commits.mjs'
import { changedPaths, gitFolder, openObjects, treeOf } from './git-trees.mjs'
import { median, round } from './median.mjs'

export const name = 'experiments'
export const about = 'real commits claimed by a scripted agent: what the original tests and the proof say'
export const corpora = ['experiments']

const COMMITS = 5

/** --rounds N: commits of each repository. --only: parts of repository names or commits, with commas between. */
export async function run({ corpus, repos, only, rounds = COMMITS, full, print }) {
  const { rows: settings, absent } = openCorpus(corpus, 'experiments', (row) => 'repo' in row && 'test' in row)
  if (absent !== undefined) return print(`  ${absent}`)
  const wanted = only?.split(',')
  const isWanted = (text) => wanted === undefined || wanted.some((each) => text.includes(each))
  const results = []
  const mayName = wanted?.some((text) => /^[0-9a-f]{7,40}$/.test(text)) ?? true
  for (const each of settings) {
    if (!isWanted(each.repo) && !mayName) continue
    const file = join(corpus, 'rows', `${each.repo.replace('/', '+')}.jsonl`)
    const known = existsSync(file) ? readLines(file) : []
    const git = repos === undefined ? undefined : gitFolder(repos, each.repo)
    const commits = each.commits ?? (git === undefined ? [] : chooseCommits(git, { ...each, count: Number(rounds) }))
    const isDone = ({ sha }) => known.some((row) => row.sha === sha)
    const chosen = commits.filter(({ sha }) => isWanted(each.repo) || isWanted(sha))
    const open = git === undefined ? [] : chosen.filter((commit) => !isDone(commit))
    const place = open.length > 0 ? openPlace(join(corpus, 'places', each.repo.replace('/', '+')), git) : undefined
    mkdirSync(join(corpus, 'rows'), { recursive: true })
    for (const commit of open) {
      const claimed = rowOf(await claimCommit(place, each, commit))
      const row = { repo: each.repo, ...commit, ...claimed, static: await readOnly(git, commit) }
      appendFileSync(file, `${JSON.stringify(row)}\n`)
      known.push(row)
      print(`  ${each.repo} ${commit.sha.slice(0, 10)} ${row.is}: ${row.failed ?? row.ended} ${commit.subject ?? ''}`)
    }
    results.push(...known.filter(({ sha, repo }) => isWanted(repo) || isWanted(sha)))
  }
  const judged = join(corpus, 'judged.jsonl')
  return report(results, existsSync(judged) ? readLines(judged) : [], full, print)
}

const readLines = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(JSON.parse)

/** What a row keeps of a run. */
function rowOf({ failed, plainMs, plainCode, events = [], err = '' }) {
  const plain = plainMs === undefined ? {} : { plain: { ms: plainMs, code: plainCode } }
  const of = (type) => events.findLast((event) => event.type === type)
  const decided = of('decided')
  const isHeard = decided?.verdict.missing.some((each) => /has not reported/.test(each)) === false
  if (failed !== undefined || !isHeard)
    return { is: 'not run', failed: failed ?? `no claim: ${err.slice(-600)}`, ...plain }
  const { tests, tampering, proven } = decided.observation.evidence
  const start = events.find(({ type, done }) => type === 'baseline' && done)?.evidence?.tests
  const end = of('ended')
  const row = {
    ...plain,
    ended: `${end?.outcome}/${end?.ending}`,
    claimMs: decided.at - of('agent-ended').at,
    runs: events.filter(({ type }) => type === 'command-ended').length,
    start: start?.counts,
    tests: partOf(tests),
    tampering: { ...partOf(tampering), changes: tampering?.changes },
    proven: { ...partOf(proven), required: proven?.counts?.required === 1 },
    missing: decided.verdict.missing,
  }
  return { is: kindOf(row), ...row }
}

/** The findings that block where nothing can be run. */
async function readOnly(git, { sha, parent }) {
  const { findTampering } = await import('./library.mjs')
  const objects = openObjects(git)
  try {
    const [before, after] = [parent, sha].map((commit) => treeOf(git, commit, objects))
    const found = await findTampering(before, after, { changed: changedPaths(before, after) })
    return [...new Set(found.flatMap(({ severity, kind }) => (severity === 'block' ? kind : [])))]
  } finally {
    objects.close()
  }
}

const partOf = ({ answer, detail, counts } = {}) => ({ answer, detail, counts })

const OF_A_RUN = /fails in its original version|passes only with|failed before the run/

/** What became of a commit, the worst first. */
function kindOf({ start, tests, tampering, proven }) {
  // If most tests fail at the start, what is installed belongs to another version.
  if (!(start?.passed > start?.failed) || tests.counts?.total === undefined) return 'not run'
  // The commit's own tests fail on this machine, or nothing fails and tests are gone.
  const { failed, excused = 0, missing } = tests.counts
  if (tests.answer === 'no') return failed === excused && missing > 0 ? 'lost' : 'red'
  const blocking = (tampering.changes ?? []).filter(({ blocks }) => blocks)
  if (blocking.some(({ detail }) => /failed before the run/.test(detail))) return 'still failing'
  if (blocking.some(({ detail }) => OF_A_RUN.test(detail))) return 'lost'
  if (blocking.length > 0) return 'read'
  if (tests.answer !== 'yes') return 'flaky'
  if (proven.answer === 'no') return 'unproven'
  return proven.answer === 'yes' ? 'proven' : 'passed'
}

const REFUSED = ['lost', 'still failing', 'read', 'flaky']
const COLUMNS = ['cleared', 'helped', 'adapted', 'changed', ...REFUSED, 'unproven', 'proven', 'passed']

function report(rows, judged, full, print) {
  const groups = [...new Set(rows.map(({ repo }) => repo))].map((repo) => figuresOf(repo, rows))
  const all = figuresOf('all', rows)
  print(`| repository | commits | not run | ran | ${COLUMNS.join(' | ')} | static | suite | claim / suite |`)
  print(`|---|---|---|---|${COLUMNS.map(() => '---').join('|')}|---|---|---|`)
  for (const each of [...groups, all]) {
    const cells = [
      each.repo,
      each.commits,
      each.notRun,
      each.ran,
      ...COLUMNS.map((name) => each[name]),
      each.static,
      `${each.suite} s`,
      each.ratio,
    ]
    print(`| ${cells.join(' | ')} |`)
  }
  const known = new Map(judged.map((each) => [each.sha, each]))
  const judgementOf = ({ sha }) => [...known].find(([start]) => sha.startsWith(start))?.[1]
  for (const row of rows.filter(
    ({ is }) => REFUSED.includes(is) || (full && ['not run', 'red', 'unproven'].includes(is)),
  ))
    show(row, judgementOf(row), print)
  const lost = rows.filter(({ is }) => ['lost', 'still failing', 'read'].includes(is))
  const false_ = lost.filter((row) => judgementOf(row)?.judged === 'false').length
  print(
    `  lost: ${lost.length} of ${all.ran} (${share(lost.length, all.ran)}), false: ${false_} (${share(false_, all.ran)})`,
  )
  print(`  unproven: ${all.unproven} of ${all.ran} (${share(all.unproven, all.ran)})`)
  const ratios = groups.flatMap(({ ratio }) => (ratio === '' ? [] : [ratio]))
  const ratio = ratios.length === 0 ? undefined : round(median(ratios), 1)
  print(`  a proven claim takes as long as ${ratio} plain runs, median over ${ratios.length} repositories`)
  return { ...all, refused: lost.length, refusedWrongly: false_, medianRatio: ratio, groups }
}

const share = (part, whole) => (whole === 0 ? '-' : `${round((100 * part) / whole, 1)} %`)

/** Commits by what became of them. The first four columns overlap with the others: they count what the original tests showed. */
function figuresOf(repo, rows) {
  const own = rows.filter((row) => repo === 'all' || row.repo === repo)
  const ran = own.filter(({ is }) => is !== 'not run' && is !== 'red')
  const has = (name) => ran.filter(({ tampering }) => tampering?.counts?.[name] > 0).length
  const ratios = ran.flatMap(({ claimMs, plain, is }) => (is === 'proven' && plain?.ms > 0 ? [claimMs / plain.ms] : []))
  return {
    repo,
    commits: own.length,
    notRun: own.length - ran.length,
    ran: ran.length,
    cleared: ran.filter(({ tests }) => tests.counts.cleared > 0 && tests.counts.refuted === 0).length,
    helped: has('helped'),
    adapted: has('adapted'),
    changed: has('changed'),
    ...Object.fromEntries(COLUMNS.slice(4).map((name) => [name, ran.filter(({ is }) => is === name).length])),
    static: ran.filter((row) => row.static?.length > 0).length,
    suite: round(median(ran.flatMap(({ plain }) => (plain?.ms > 0 ? [plain.ms / 1000] : []))), 1),
    ratio: ratios.length === 0 ? '' : round(median(ratios), 1),
  }
}

function show({ repo, sha, subject, is, failed, tests, tampering, proven }, judgement, print) {
  print(`\n  ${repo} ${sha.slice(0, 10)} ${is} [${judgement?.judged ?? 'not judged'}] ${subject ?? ''}`)
  if (judgement?.note) print(`    note: ${judgement.note}`)
  if (failed) print(`    ${failed}`)
  if (is === 'flaky' || is === 'red' || is === 'not run') print(`    tests: ${tests?.detail ?? ''}`)
  if (is === 'unproven') print(`    proven: ${proven.detail}`)
  for (const { file, line, kind, detail, before, after, blocks } of tampering?.changes ?? []) {
    if (!blocks) continue
    print(`    ${kind} ${file}:${line ?? ''} ${detail}`)
    if (before) print(`      - ${before.replace(/\n/g, '\n        ')}`)
    if (after) print(`      + ${after.replace(/\n/g, '\n        ')}`)
  }
}
