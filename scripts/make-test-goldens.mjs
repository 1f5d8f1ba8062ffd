// node scripts/make-test-goldens.mjs [NAME...]: runs test runners of this machine and of npm on small projects. Writes their output
// and reports to tests/golden/test-output, next to the expected result.
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from './with-node.mjs'

const here = fileURLToPath(new URL('./test-goldens/', import.meta.url))
const goldens = fileURLToPath(new URL('../tests/golden/test-output/', import.meta.url))
const TIMEOUT_MS = 300_000

const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

function put(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Both streams in the order they arrived; `killAfter` kills the whole process group during the run. */
function run(command, { cwd, env, killAfter }) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd, env, shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), killAfter ?? TIMEOUT_MS)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ text: Buffer.concat(chunks).toString('utf8'), code, signal })
    })
  })
}

/** Replaces paths, names and times of this machine with neutral ones. */
function neutral(text, base) {
  let clean = text
  for (const [path, name] of [
    [realpathSync(base), '/project'],
    [base, '/project'],
    [process.cwd(), '/exitgate'],
    [homedir(), '/home/user'],
    [tmpdir(), '/tmp'],
  ]) {
    clean = clean.replaceAll(path, name).replaceAll(path.replaceAll('/', '\\/'), name.replaceAll('/', '\\/'))
    if (path.split('/').length > 2) clean = clean.replaceAll(path.slice(1), name.slice(1))
  }
  return clean
    .replace(/ hostname="[^"]*"/g, ' hostname="host"')
    .replace(/(<property name="[^"]*" value=")[^"]*("\/?>)/g, '$1$2')
}

async function setUp(framework, base) {
  const missing = (framework.needs ?? []).filter((program) => !has(program))
  if (missing.length > 0) return `${missing.join(', ')} not found`
  if (framework.packages !== undefined) {
    put(base, { 'package.json': '{ "name": "project", "private": true }\n' })
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...framework.packages]
    const { status, stderr } = spawnSync('npm', args, { cwd: base, encoding: 'utf8', timeout: TIMEOUT_MS })
    if (status !== 0) return `npm install: ${stderr.trim().split('\n').at(-1)}`
  }
  if (framework.node !== undefined) {
    const { path, skipped } = await nodeBinary(framework.node)
    if (skipped) return skipped
    framework.path = dirname(path)
  }
  if (framework.prepare !== undefined) {
    const { code, text } = await run(framework.prepare, { cwd: base, env: environment(framework, base) })
    if (code !== 0) return `preparing it failed: ${text.trim().split('\n').at(-1)}`
  }
  return undefined
}

function environment(framework, base) {
  const own = [framework.path, join(base, 'node_modules', '.bin'), process.env.PATH].filter(Boolean).join(delimiter)
  const keep = Object.fromEntries(
    ['CARGO_HOME', 'RUSTUP_HOME', 'PYENV_ROOT', 'JAVA_HOME'].map((name) => [name, process.env[name]]),
  )
  const home = { CARGO_HOME: join(homedir(), '.cargo'), RUSTUP_HOME: join(homedir(), '.rustup') }
  const given = Object.fromEntries(Object.entries(keep).filter(([, value]) => value !== undefined))
  return {
    ...home,
    ...given,
    PATH: own,
    HOME: join(base, 'home'),
    CI: 'true',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    USER_HOME: homedir(),
    ...framework.env,
  }
}

/** The file itself, or the first one in a folder whose name the runner chose. */
function reportAt(folder, path) {
  const [parent, pattern] = [join(folder, dirname(path)), path.split('/').at(-1)]
  if (!pattern.includes('*')) return existsSync(join(folder, path)) ? join(folder, path) : undefined
  const match = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
  const found = existsSync(parent)
    ? readdirSync(parent)
        .filter((name) => match.test(name))
        .sort()
    : []
  return found.length === 0 ? undefined : join(parent, found[0])
}

async function make(framework, base) {
  for (const [name, one] of Object.entries(framework.cases)) {
    const folder = join(base, one.folder ?? name)
    put(folder, { ...framework.files, ...one.files })
    mkdirSync(join(base, 'home'), { recursive: true })
    const command = one.run ?? framework.run
    const ended = await run(command, { cwd: folder, env: environment(framework, base), killAfter: one.killAfter })
    const written = []
    const write = (ending, text, expected) => {
      const title = `${framework.name}-${name}${ending === 'txt' ? '' : `-${ending}`}`
      writeFileSync(join(goldens, `${title}.${ending}`), neutral(text, base))
      writeFileSync(join(goldens, `${title}.expect.json`), `${JSON.stringify(expected, null, 2)}\n`)
      written.push(ending)
    }
    if (one.text !== false) write('txt', ended.text, { ...one.expect, ...one.expectText })
    for (const [ending, path] of Object.entries(one.reports ?? framework.reports ?? {})) {
      const report = reportAt(folder, path)
      if (report !== undefined)
        write(ending, readFileSync(report, 'utf8'), {
          ...one.expect,
          ...one.expectReport,
          ...one[`expect${ending[0].toUpperCase()}${ending.slice(1)}`],
        })
    }
    console.log(`  ${framework.name}-${name}: ${written.join(', ')} (ended with ${ended.code ?? ended.signal})`)
  }
}

const asked = process.argv.slice(2)
for (const file of readdirSync(here).sort()) {
  const { default: given } = await import(`./test-goldens/${file}`)
  for (const framework of Array.isArray(given) ? given : [given]) {
    if (asked.length > 0 && !asked.includes(framework.name)) continue
    const base = mkdtempSync(join(tmpdir(), 'goldens-'))
    try {
      const problem = await setUp(framework, base)
      if (problem === undefined) await make(framework, base)
      else console.log(`  ${framework.name}: skipped, ${problem}`)
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  }
}
