import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { arch, argv, env, platform, versions } from 'node:process'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'
import { FETCH_LIMITS, npm, quietly } from './prepare.mjs'
import { Stop } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** When the tests last ran with these agents. */
export const AGENTS_TESTED = '2026-11-19'

/** The agents that tests/real-agents runs, at the versions whose output was checked. */
export const AGENTS = {
  // The newest that runs on Node 20, and the newest of all, which is a program of its own.
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.197' },
  'claude-newest': { package: '@anthropic-ai/claude-code', version: '2.1.328', program: 'bin/claude.exe' },
  codex: { package: '@openai/codex', version: '0.169.0' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0' },
  opencode: { package: 'opencode-ai', version: '1.18.33' },
  pi: { package: '@mariozechner/pi-coding-agent', version: '0.73.1' },
  // Under its new name.
  'pi-newest': {
    package: '@earendil-works/pi-coding-agent',
    version: '0.87.1',
    program: 'dist/bundle/cli.js',
    node: 22,
  },
  qwen: { package: '@qwen-code/qwen-code', version: '0.15.10' },
  'qwen-newest': { package: '@qwen-code/qwen-code', version: '0.24.4', program: 'cli-entry.js', node: 22 },
  copilot: { package: '@github/copilot', version: '1.0.102' },
  droid: { package: 'droid', version: '0.215.0' },
  goose: { package: `@aaif/goose-binary-${platform}-${arch}`, version: '0.20.1', program: 'bin/goose' },
  // The newest, which has stop hooks.
  'goose-newest': { package: `@aaif/goose-binary-${platform}-${arch}`, version: '1.52.0', program: 'bin/goose' },
  grok: { package: '@xai-official/grok', version: '1.0.41' },
  kimi: { package: '@moonshot-ai/kimi-code', version: '2.1.0', node: 22 },
}

/** The program of an agent: { path }, or { missing } with the remedy if that version is not installed. */
export function agentProgram(name) {
  const { package: wanted, version, node = 0 } = AGENTS[name]
  if (Number.parseInt(versions.node) < node)
    return { missing: `${name} needs Node ${node}. Run npm run test:node${node}` }
  if (isInstalled(name) && !env.EXITGATE_BARE) return { path: programOf(name) }
  return { missing: `${name} (${wanted}@${version}) is not installed. Run npm run agents -- ${name}` }
}

const folderOf = (name) => join(root, '.tools', 'agents', name)

function programOf(name) {
  const { package: wanted, program } = AGENTS[name]
  const modules = join(folderOf(name), 'node_modules')
  return program === undefined ? join(modules, '.bin', name) : join(modules, wanted, program)
}

/** Whether this version is there. An agent may be installed with an older Node than it needs to run. */
const isInstalled = (name) => installedVersion(name) === AGENTS[name].version && existsSync(programOf(name))

function installedVersion(name) {
  try {
    const file = join(folderOf(name), 'node_modules', ...AGENTS[name].package.split('/'), 'package.json')
    return JSON.parse(readFileSync(file, 'utf8')).version
  } catch {
    return undefined
  }
}

async function install(name) {
  const { package: wanted, version } = AGENTS[name]
  const folder = folderOf(name)
  await withLock(`${folder}.lock`, async () => {
    if (isInstalled(name)) return
    console.error(`exitgate: fetching ${wanted}@${version}`)
    const asked = [
      'install',
      '--prefix',
      folder,
      '--no-package-lock',
      ...quietly,
      ...FETCH_LIMITS,
      `${wanted}@${version}`,
    ]
    const ended = await npm(asked, root)
    if (ended.signal) throw new Stop('', ended)
    if (ended.code !== 0) process.stderr.write(ended.stderr)
  })
  return isInstalled(name)
}

async function main(names) {
  const unknown = names.filter((name) => !(name in AGENTS))
  if (unknown.length > 0) {
    console.error(`exitgate: Unknown agent "${unknown[0]}". Known agents: ${Object.keys(AGENTS).join(', ')}.`)
    process.exitCode = 64
    return
  }
  for (const name of names.length === 0 ? Object.keys(AGENTS) : names) {
    const there = await install(name)
    const { package: wanted, version } = AGENTS[name]
    console.error(`exitgate: ${wanted}@${version} ${there ? 'is there' : 'could not be installed'}`)
    if (!there) process.exitCode = 1
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) await main(argv.slice(2))
