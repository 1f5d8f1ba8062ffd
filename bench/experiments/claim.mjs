// One commit, from its parent to the verdict: a scripted agent replaces the parent's files by those of the commit and claims.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endLeftovers, runProcess } from '../gauntlet/ground.mjs'

const PROGRAM = fileURLToPath(new URL('../../dist/cli/cli.cjs', import.meta.url))
const CLAIM = 'EXIT_STATUS: COMPLETE\nEXIT_REASON: The change is there.\nREMAINING_WORK: none\n'
const INSTALL_MS = 15 * 60_000
const CLAIM_MS = 30 * 60_000
/** What decides which dependencies are installed. */
const MANIFESTS =
  /^(?:package(?:-lock)?\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|\.npmrc|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*(?:\.txt|\/[^/]+\.txt)|uv\.lock|Cargo\.toml|Cargo\.lock|go\.mod|go\.sum)$/
/** Installed files stay from one commit to the next, if nothing that decides them has changed. */
const KEPT = ['node_modules', 'target']

/** A working folder for a repository: a clone that shares the objects of `git`, and a home of its own. */
export function openPlace(at, git) {
  const [dir, home, tmp, venv] = ['work', 'home', 'tmp', 'venv'].map((name) => join(at, name))
  mkdirSync(at, { recursive: true })
  if (!existsSync(join(dir, '.git'))) {
    execFileSync('git', ['clone', '-q', '--shared', '--no-checkout', git, dir])
    execFileSync('git', ['-C', dir, 'remote', 'remove', 'origin'])
  }
  // Version managers look for their files in the home, so the real programs come first.
  const path = [join(venv, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  const own = { HOME: home, TMPDIR: tmp, EXITGATE_STATE_DIR: join(home, 'state'), EXITGATE_SANDBOX: 'off' }
  const env = { PATH: path, LANG: 'C.UTF-8', ...own }
  return { at, dir, env, installed: undefined }
}

export async function claimCommit(place, settings, { sha, parent }) {
  const { at, dir, env } = place
  for (const each of ['HOME', 'TMPDIR']) {
    rmSync(env[each], { recursive: true, force: true, maxRetries: 3 })
    mkdirSync(env[each], { recursive: true })
  }
  git(dir, 'checkout', '-q', '-f', '--detach', parent)
  git(dir, 'clean', '-fdxq', ...KEPT.flatMap((each) => ['-e', each]))
  const installing = await install(place, settings, parent)
  if (installing !== undefined) return { failed: `install: ${installing}` }
  // Files that git ignores and the tests need, such as a generated version.
  if (settings.prepare !== undefined) await run('sh', ['-c', settings.prepare], place, INSTALL_MS)
  const plain = await run('sh', ['-c', settings.test], place, CLAIM_MS)
  endLeftovers(place)
  git(dir, 'checkout', '-q', '-f', '--detach', parent)
  const changesPackages = settings.install !== undefined && keyOf(dir, parent) !== keyOf(dir, sha)
  const agent = join(at, 'agent.sh')
  const lines = [`git read-tree -u --reset ${sha}`]
  if (changesPackages) lines.push(`(${exportsOf()}${settings.install}) >'${join(at, 'install.log')}' 2>&1 || exit 3`)
  writeFileSync(agent, `set -e\n${lines.join('\n')}\ncat <<'CLAIM'\n${CLAIM}CLAIM\n`)
  if (changesPackages) place.installed = undefined
  const message = execFileSync('git', ['-C', dir, 'log', '-1', '--format=%B', sha], { encoding: 'utf8' }).trim()
  const words = ['run', '--json', '--max-iterations', '1', '--no-plan', '--test', settings.test, '--task', message]
  if (plain.code !== 0) words.push('--accept-failing')
  const ended = await run(process.execPath, [PROGRAM, ...words, '--', 'sh', agent], place, CLAIM_MS)
  endLeftovers(place)
  const events = ended.out.split('\n').flatMap(eventIn)
  return { plainMs: plain.ms, plainCode: plain.code, events, ms: ended.ms, err: ended.err.slice(-2_000) }
}

/** Installs what the commit in the working folder needs. Says what went wrong, if something did. */
async function install(place, { install: command }, commit) {
  if (command === undefined) return undefined
  const key = keyOf(place.dir, commit)
  if (place.installed === key) return undefined
  for (const each of KEPT) rmSync(join(place.dir, each), { recursive: true, force: true })
  const { code, out, err } = await run('sh', ['-c', `${exportsOf()}${command}`], place, INSTALL_MS)
  place.installed = code === 0 ? key : undefined
  git(place.dir, 'checkout', '-q', '-f', '--', '.')
  return code === 0 ? undefined : `${err}${out}`.trim().slice(-400)
}

/** Installing needs the settings of this machine's registries. */
const exportsOf = () =>
  ['HOME', ...Object.keys(process.env).filter((name) => /^(?:PIP_|NODE_EXTRA_|SSL_|npm_config_)/.test(name))]
    .map((name) => `export ${name}='${process.env[name]}'; `)
    .join('')

function keyOf(dir, commit) {
  const listed = execFileSync('git', ['-C', dir, 'ls-tree', '-r', commit], { encoding: 'utf8', maxBuffer: 1 << 27 })
  const hash = createHash('sha1')
  for (const line of listed.split('\n')) {
    const [entry, path = ''] = line.split('\t')
    if (!MANIFESTS.test(path)) continue
    if (path !== 'package.json') hash.update(`${entry} ${path}\n`)
    else hash.update(packagesOf(execFileSync('git', ['-C', dir, 'show', `${commit}:${path}`], { encoding: 'utf8' })))
  }
  return hash.digest('hex')
}

/** A new version number or script installs nothing else. */
function packagesOf(text) {
  try {
    const { dependencies, devDependencies, peerDependencies, optionalDependencies, overrides } = JSON.parse(text)
    return JSON.stringify([dependencies, devDependencies, peerDependencies, optionalDependencies, overrides])
  } catch {
    return text
  }
}

async function run(file, args, { dir, env }, deadlineMs) {
  const ended = await runProcess(file, args, { cwd: dir, env: { ...env, CI: 'true' }, deadlineMs })
  return { ...ended, ms: ended.endedAt - ended.startedAt }
}

const git = (dir, ...args) => execFileSync('git', ['-C', dir, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })

function eventIn(line) {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}
