// npm run test:all: runs the whole suite on Node 20, 22 and 24 with the real agents, by hand before a release.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { run } from './run.mjs'
import { nodeBinary } from './with-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const log = (line) => console.error(`exitgate: ${line}`)
const table = []
// Every row of the conversations with real agents, also those that take long.
process.env.EXITGATE_AGENT_ROWS = 'all'

const agents = await run(process.execPath, ['scripts/install-agents.mjs'], { cwd: root })
if (agents.code !== 0) log('Some agents could not be installed. Their tests are skipped by name.')

for (const major of [20, 22, 24]) {
  const { path, skipped } = await nodeBinary(major, log)
  if (skipped) {
    table.push({ node: major, result: `skipped: ${skipped}` })
    continue
  }
  const started = Date.now()
  const ended = await run(
    process.execPath,
    ['scripts/with-node.mjs', String(major), '--', 'node', 'scripts/bootstrap.mjs', 'test'],
    { cwd: root },
  )
  if (ended.signal) process.exit(1)
  const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim()
  table.push({
    node: version,
    result: ended.code === 0 ? 'passed' : 'FAILED',
    minutes: ((Date.now() - started) / 60_000).toFixed(1),
  })
}
console.table(table)
process.exitCode = agents.code === 0 && table.every(({ result }) => result === 'passed') ? 0 : 1
