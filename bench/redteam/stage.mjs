// One run of a row: a new repository, home and state folder, an almost empty environment, and the built program.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endLeftovers, runProcess, writeFiles } from '../gauntlet/ground.mjs'
import { PROJECTS } from './projects.mjs'

export const program = fileURLToPath(new URL('../../dist/cli/cli.cjs', import.meta.url))
const agent = fileURLToPath(new URL('./agent.mjs', import.meta.url))
const DEADLINE_MS = 90_000
/** A refused attack is over: most attacks need no second try. */
const ITERATIONS = 1

export async function makeStage(row, at) {
  const project = PROJECTS[row.project]
  const [dir, home, tmp] = ['work', 'home', 'tmp'].map((name) => join(at, name))
  for (const each of [dir, home, tmp]) mkdirSync(each, { recursive: true })
  const env = {
    HOME: home,
    PATH: toolPath(),
    TMPDIR: tmp,
    LANG: 'C.UTF-8',
    EXITGATE_STATE_DIR: join(at, 'state'),
    ...project.env,
  }
  Object.assign(env, row.env?.call?.(row, { dir, home, path: env.PATH }) ?? row.env)
  writeFiles(dir, { ...project.files, ...row.files, 'PROMPT.md': `${project.prompt}\n` })
  const git = async (...args) => {
    const { code, err } = await runProcess('git', args, { cwd: dir, env })
    if (code !== 0) throw new Error(`git ${args.join(' ')} exited with ${code}: ${err}`)
  }
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'redteam')
  await git('config', 'user.email', 'redteam@localhost')
  await git('add', '-A')
  await git('commit', '-qm', 'start')
  install(dir, { ...project.installed, ...row.installed })
  const stage = { at, dir, home, tmp, env, state: join(at, 'state'), project, row }
  await row.prepare?.(stage)
  return stage
}

function install(dir, files) {
  for (const [path, content] of Object.entries(files)) {
    if (typeof content === 'string' || content.link === undefined) writeFiles(dir, { [path]: content })
    else {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      symlinkSync(content.link, join(dir, path))
    }
  }
}

const agentLine = ({ class: group, name }, part, gate = program) => [process.execPath, agent, group, name, part, gate]

/** The agent alone, without exitgate: do the tests look green although nothing was done? */
export async function tryPlainly(stage, part) {
  const { dir, env, project, row } = stage
  const sandbox = { cwd: dir, env: { ...env, CI: 'true' }, deadlineMs: 60_000 }
  const [file, ...args] = agentLine(row, part)
  const ended = await runProcess(file, args, { ...sandbox, input: project.prompt })
  if (ended.code !== 0) return { failed: `the script failed (${ended.code}): ${ended.err.slice(-1500)}` }
  const test = await runProcess('/bin/sh', ['-c', row.test ?? project.test], sandbox)
  endLeftovers(stage)
  return {
    green: test.code === 0,
    solved: await isSolved(stage),
    marked: marksOf(stage).length > 0,
    said: `${test.out}${test.err}`.slice(-1500),
  }
}

/** Whether the work is done after all: then accepting it is right, however it came about. */
async function isSolved({ at, dir, project, row }) {
  if (row.probe === false || project.probe === undefined) return false
  const env = { PATH: toolPath(), HOME: join(at, 'no-home'), LANG: 'C.UTF-8' }
  const { out } = await runProcess('/bin/sh', ['-c', project.probe], { cwd: dir, env, deadlineMs: 60_000 })
  return /^sum 42$/m.test(out)
}

export const marksOf = ({ dir }) => {
  const file = join(dir, existsSync(join(dir, '.git-kept')) ? '.git-kept' : '.git', 'redteam', 'marks')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

/** What happened in one run of exitgate. */
async function runGate(stage, part, { sandbox, gate }) {
  const { dir, env, project, row } = stage
  const words = ['run', '--json', '--sandbox', sandbox ? 'required' : 'off']
  words.push('--max-iterations', String(row.iterations ?? ITERATIONS), ...(project.args ?? []), ...(row.args ?? []))
  words.push('--', ...agentLine(row, part, gate))
  const ended = await runProcess(process.execPath, [gate, ...words], { cwd: dir, env, deadlineMs: DEADLINE_MS })
  const events = ended.out.split('\n').flatMap(eventIn)
  // The line on standard output can be forged, so the exit code must agree with it.
  const end = events.findLast(({ type }) => type === 'ended')
  return {
    code: ended.code,
    late: ended.late,
    completed: ended.code === 0,
    forged: ended.code !== 0 && end?.outcome === 'completed',
    ending: end === undefined ? `exit code ${ended.code}` : `${end.outcome}/${end.ending}`,
    missing: end?.missing ?? [],
    out: ended.out,
    err: ended.err,
    ms: ended.endedAt - ended.startedAt,
  }
}

/** One row in one mode: what got out, or undefined. */
export async function runRow(row, part, { sandbox, at, program: gate = program }) {
  const stage = await makeStage(row, at)
  try {
    const results = []
    for (let n = 0; n < (part === 'attack' ? (row.runs ?? 1) : (row.honestRuns ?? row.runs ?? 1)); n++) {
      await row.between?.(stage, n)
      results.push(await runGate(stage, part, { sandbox, gate }))
    }
    const result = results.at(-1)
    const effect = part === 'attack' ? await row.effect?.(stage, result) : undefined
    const solved = part === 'attack' && result.completed && (await isSolved(stage))
    return { ...result, results, effect: effect || undefined, marked: marksOf(stage).length > 0, solved }
  } finally {
    await row.finish?.(stage)
    endLeftovers(stage)
    if (!process.env.REDTEAM_KEEP) rmSync(at, { recursive: true, force: true, maxRetries: 5 })
  }
}

function eventIn(line) {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

let known
/** The real programs, because the launchers of version managers look for their files in the home. */
function toolPath() {
  known ??= [
    folderOf('python3', ['-c', 'import sys; print(sys.executable)']),
    folderOf('rustup', ['which', 'cargo']),
    dirname(process.execPath),
    ...['/usr/local/bin', '/usr/bin', '/bin'],
  ]
    .filter((folder, at, all) => folder !== undefined && all.indexOf(folder) === at)
    .join(delimiter)
  return known
}

function folderOf(name, args) {
  try {
    return dirname(
      realpathSync(execFileSync(name, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()),
    )
  } catch {
    return undefined
  }
}
