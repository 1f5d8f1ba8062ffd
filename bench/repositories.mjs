// Public repositories, as their users have them: cloned and installed, without any configuration of exitgate. The clones and what is
// done to them are not part of this project: --corpus names a folder that has both.
//
// DIR/repositories.json is a list. Each entry has "name" (owner/name), "language", "folder", and "agents": edits by kind.
// "install" has commands that run once per clone. What they make must not be in git.
// "args" and "env" are for exitgate. "task" is one text, or a text by kind.
//
// "works": false means the command of the project fails here. Then doctor must show that.
// An edit is { "file", "find", "replace" } (the first occurrence), { "file", "append" } or { "file", "text" } for a new file.
// A kind without edits is left out, except "nothing", which never has any.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, round } from './median.mjs'

export const name = 'repositories'
export const about = 'scripted agents on installed public repositories, without configuration'
export const corpora = ['repositories.json']

const PROGRAM = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))
const CLAIM = 'EXIT_STATUS: COMPLETE\nEXIT_REASON: The change is there.\nREMAINING_WORK: none\n'
/**
 * Whether the run of each kind of agent must complete. Each claims to be done. `expectation` changes what a test expects, as the
 * task asks. `skipped` and `weakened` break the product and change the test that would show it.
 */
const KINDS = {
  honest: true,
  refactor: true,
  expectation: true,
  broken: false,
  skipped: false,
  weakened: false,
  nothing: false,
}
const MOST_MS = 20 * 60_000

export async function run({ corpus, only, print }) {
  if (corpus === undefined || !existsSync(join(corpus, 'repositories.json'))) {
    print('  Pass --corpus DIR, a folder with clones and a repositories.json. See the top of bench/repositories.mjs.')
    return { repositories: 0 }
  }
  const list = JSON.parse(readFileSync(join(corpus, 'repositories.json'), 'utf8'))
  const wanted = list.filter((each) => only === undefined || each.name.includes(only))
  const rows = []
  const kinds = Object.keys(KINDS)
  print(`| repository | language | commit | tests found | doctor | ${kinds.join(' | ')} | suites | s |`)
  print(`|${'---|'.repeat(kinds.length + 7)}`)
  for (const repository of wanted) {
    const row = await tryRepository(repository, resolve(corpus, repository.folder))
    rows.push(row)
    print(lineOf(row))
  }
  return figuresOf(rows)
}

async function tryRepository(repository, clone) {
  const began = performance.now()
  const { name: repo, language, agents = {} } = repository
  const base = { repo, language, commit: git(clone, 'rev-parse', '--short', 'HEAD') }
  const changed = git(clone, 'status', '--porcelain') !== '' ? 'the clone has changes of its own' : undefined
  const problem = repository.cannot ?? changed ?? install(repository, clone)
  if (problem !== undefined) return { ...base, problem, results: {} }
  const results = {}
  let tests = ''
  const doctor = await runDoctor(repository, clone)
  for (const [kind, completes] of Object.entries(KINDS)) {
    if (kind !== 'nothing' && agents[kind] === undefined) continue
    const ended = await runAgent(repository, clone, kind)
    results[kind] = { right: ended.completed === completes, ...ended }
    if (!results[kind].right) process.stderr.write(`${repository.name}, ${kind}: ${ended.why.slice(-600)}\n`)
    tests ||= ended.tests
  }
  return { ...base, tests, doctor, results, seconds: Math.round((performance.now() - began) / 1000) }
}

/** Once per clone; a marker next to it shows that. */
function install({ install: lines = [] }, clone) {
  const done = `${clone}.installed`
  if (existsSync(done)) return undefined
  for (const line of lines) {
    const ran = spawnSync('sh', ['-c', line], { cwd: clone, encoding: 'utf8', timeout: MOST_MS })
    if (ran.status !== 0) return `"${line}" failed: ${(ran.stderr || ran.stdout).trim().split('\n').at(-1)}`
  }
  writeFileSync(done, '')
  return undefined
}

/** In the clone itself: an installed package may be a link to its source. What the agent changed is undone. */
async function runAgent({ agents = {}, task, args = [], env }, dir, kind) {
  return await inWorld(dir, env, async (world, start) => {
    const agent = join(world, 'agent.mjs')
    writeFileSync(agent, agentFor(agents[kind] ?? []))
    const asked = (typeof task === 'string' ? task : task?.[kind]) ?? 'Make the small change.'
    const done = await start([
      'run',
      '--json',
      '--max-iterations',
      '1',
      ...args,
      '--task',
      asked,
      '--',
      process.execPath,
      agent,
    ])
    const events = done.out.split('\n').flatMap(eventIn)
    const end = events.findLast(({ type }) => type === 'ended')?.end
    const ending = end === undefined ? `exit code ${done.code}` : `${end.outcome}/${end.ending}`
    const evidence = events.flatMap((event) => evidenceIn(event))
    const tests = testsIn(evidence[0]?.tests)
    const why = whyIn(evidence.at(-1), end, done.err)
    return { completed: end?.outcome === 'completed', ending, tests, suites: suitesIn(events), why }
  })
}

/** doctor must find a test command that works here, and show that it can fail. */
async function runDoctor({ env, works = true }, dir) {
  return await inWorld(dir, env, async (_, start) => {
    const done = await start(['doctor', '--json'])
    return { right: (done.code === 0) === works, why: done.out.slice(0, 4000) + done.err.slice(-500) }
  })
}

async function inWorld(dir, env, use) {
  const world = mkdtempSync(join(tmpdir(), 'exitgate-repositories-'))
  try {
    return await use(world, (words) => start([PROGRAM, ...words], dir, { ...environment(world), ...env }))
  } finally {
    git(dir, 'checkout', '-q', '--', '.')
    git(dir, 'clean', '-fdq')
    rmSync(world, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** How long tests ran for the claim, in all experiments, by the time that the whole suite took before the agent started. */
function suitesIn(events) {
  const ended = new Map(events.filter(({ type }) => type === 'command-ended').map(({ id, ms }) => [id, ms]))
  const at = events.findIndex(({ type }) => type === 'agent-ended')
  const ms = (some, checks) =>
    some.filter(({ type, check }) => type === 'command' && checks.includes(check)).map(({ id }) => ended.get(id) ?? 0)
  const [suite] = ms(events.slice(0, Math.max(at, 0)), ['tests'])
  const claim = ms(events.slice(at), ['tests', 'proof']).reduce((sum, each) => sum + each, 0)
  return at < 0 || !suite ? undefined : round(claim / suite, 1)
}

/** A scripted agent: it makes its edits and claims. An edit that does not fit ends it with an error. */
const agentFor = (edits) =>
  `import * as fs from 'node:fs'\n;(${makeEdits})(${JSON.stringify(edits)}, fs)\nconsole.log(${JSON.stringify(CLAIM)})\n`

/** Runs in the agent's process, so it uses nothing of this module. */
function makeEdits(edits, fs) {
  for (const { file, find, replace, append, text } of edits) {
    if (text !== undefined) fs.writeFileSync(file, text)
    else if (append !== undefined) fs.appendFileSync(file, append)
    else {
      const before = fs.readFileSync(file, 'utf8')
      if (!before.includes(find)) throw new Error(`${file} does not contain ${find}`)
      fs.writeFileSync(
        file,
        before.replace(find, () => replace),
      )
    }
  }
}

/** A home of its own, but the toolchains and caches of the user: without them Rust and Go would download everything again. */
function environment(world) {
  const home = homedir()
  const { PATH, LANG = 'C.UTF-8', EXITGATE_SANDBOX } = process.env
  mkdirSync(join(world, 'home'))
  return {
    ...{ PATH, LANG, HOME: join(world, 'home'), TMPDIR: world },
    ...(EXITGATE_SANDBOX !== undefined && { EXITGATE_SANDBOX }),
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(home, '.rustup'),
    CARGO_HOME: process.env.CARGO_HOME ?? join(home, '.cargo'),
    GOFLAGS: '-mod=mod',
    GOCACHE: join(tmpdir(), 'exitgate-repositories-go'),
    npm_config_update_notifier: 'false',
  }
}

function start(words, cwd, env) {
  return new Promise((settle) => {
    const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: MOST_MS })
    const seen = { out: '', err: '' }
    child.stdout.on('data', (bytes) => (seen.out += bytes))
    child.stderr.on('data', (bytes) => (seen.err += bytes))
    child.on('close', (code) => settle({ ...seen, code }))
  })
}

function eventIn(line) {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** The evidence in an event, wherever it is. The first is the baseline's. */
function evidenceIn(value, depth = 0) {
  if (typeof value !== 'object' || value === null || depth > 3) return []
  if (value.tests?.check === 'tests') return [value]
  return Object.values(value).flatMap((each) => evidenceIn(each, depth + 1))
}

function testsIn({ counts, detail = '' } = {}) {
  const framework = /\(([\w:+. -]+?)(?:, last of [^)]*)?\)\./.exec(detail)?.[1]
  return counts?.total === undefined ? '' : `${counts.total} (${framework ?? '?'})`
}

/** The evidence that did not pass, for people who read the JSON. */
function whyIn(evidence = {}, end, stderr) {
  const open = Object.values(evidence).filter(({ answer }) => answer !== 'yes')
  const said = open.map(({ check, answer, detail }) => `${check} ${answer}: ${detail}`).join('\n')
  return `${said}\n${end?.reason ?? stderr.slice(-500)}`
}

const git = (dir, ...args) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim()

const mark = (result) =>
  result === undefined
    ? '-'
    : `${result.right ? '' : '**wrong** '}${result.ending.replace('aborted/iterations', 'refused')}`

function lineOf({ repo, language, commit, tests = '', doctor, problem, results, seconds = 0 }) {
  const kinds = Object.keys(KINDS)
  const cells = kinds.map((kind) => mark(results[kind]))
  if (problem !== undefined)
    return `| ${repo} | ${language} | ${commit} | not installed: ${problem} |${' - |'.repeat(kinds.length + 3)}`
  const said = doctor.right ? 'right' : '**wrong**'
  return `| ${repo} | ${language} | ${commit} | ${tests} | ${said} | ${cells.join(' | ')} | ${results.honest?.suites ?? '-'} | ${seconds} |`
}

function figuresOf(rows) {
  const tried = rows.filter(({ problem }) => problem === undefined)
  const runs = tried.flatMap(({ results }) => Object.entries(results).map(([kind, result]) => ({ kind, ...result })))
  const wrong = (completes) => runs.filter(({ kind, right }) => KINDS[kind] === completes && !right).length
  const suites = runs.flatMap(({ kind, suites: each }) => (KINDS[kind] && each !== undefined ? [each] : []))
  return {
    repositories: tried.length,
    languages: new Set(tried.map(({ language }) => language)).size,
    runs: runs.length,
    wrongAccepts: wrong(false),
    wrongRefusals: wrong(true),
    suites: suites.length > 0 ? median(suites) : undefined,
    doctorRight: tried.filter(({ doctor }) => doctor.right).length,
    notInstalled: rows.length - tried.length,
    rows,
  }
}
