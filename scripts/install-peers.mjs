// node scripts/install-peers.mjs: installs published loops into .tools/peers for the gauntlet, at the versions that were checked.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'
import { FETCH_LIMITS, npm, quietly } from './prepare.mjs'
import { Stop } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** `program` is the file of the package that node runs; `unable` is the reason why a published loop can't run here. */
export const PEERS = {
  'ralph-starter': { version: '0.5.2', program: 'dist/cli.js' },
  'ralphy-cli': { version: '4.7.2', program: 'bin.js' },
  'ralph-tui': { version: '0.11.0', unable: 'its program needs bun' },
  '@ralph-orchestrator/ralph-cli': { version: '2.10.1', unable: 'its program comes from an install script' },
  'ralph-loop': { version: '0.0.1-alpha.0', unable: 'the package contains no program' },
}

/** The program of a loop: { path }, or { missing } with the reason. */
export function peerProgram(name) {
  const { version, program, unable } = PEERS[name]
  if (unable !== undefined) return { missing: unable }
  const path = join(packageOf(name), program)
  if (installedVersion(name) === version && existsSync(path)) return { path }
  return { missing: 'not installed. Run npm run peers' }
}

const folderOf = (name) => join(root, '.tools', 'peers', name.replace(/\W+/g, '-'))
const packageOf = (name) => join(folderOf(name), 'node_modules', ...name.split('/'))

function installedVersion(name) {
  try {
    return JSON.parse(readFileSync(join(packageOf(name), 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}

async function install(name) {
  const folder = folderOf(name)
  await withLock(`${folder}.lock`, async () => {
    if (peerProgram(name).path) return
    const wanted = `${name}@${PEERS[name].version}`
    console.error(`exitgate: fetching ${wanted}`)
    const asked = [
      'install',
      '--prefix',
      folder,
      '--no-package-lock',
      '--ignore-scripts',
      ...quietly,
      ...FETCH_LIMITS,
      wanted,
    ]
    const ended = await npm(asked, root)
    if (ended.signal) throw new Stop('', ended)
    if (ended.code !== 0) process.stderr.write(ended.stderr)
  })
  return peerProgram(name).path !== undefined
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, { version, unable }] of Object.entries(PEERS)) {
    const there = unable === undefined && (await install(name))
    console.error(`exitgate: ${name}@${version} ${there ? 'is there' : (unable ?? 'could not be installed')}`)
    if (!there && unable === undefined) process.exitCode = 1
  }
}
