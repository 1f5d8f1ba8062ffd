// node scripts/test-under-load.mjs [--runs N] [--loops N] [-- TEST ARGUMENTS]
// Runs `npm test` N times (10) while N busy loops per core (2) compete for the machine. A flaky test fails at least one of these runs.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { run } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  args: argv.slice(2),
  options: { runs: { type: 'string', default: '10' }, loops: { type: 'string', default: '2' } },
  allowPositionals: true,
})
const runs = Number(values.runs)
const cores = availableParallelism()
const loops = Number(values.loops) * cores

const busy = Array.from({ length: loops }, () => spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }))
process.on('exit', () => {
  for (const child of busy) child.kill('SIGKILL')
})
// `run` passes signals on to the tests, which end with an exit code.
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (isInterrupted = true))
const table = []
for (let index = 1; index <= runs; index++) {
  const started = Date.now()
  const ended = await run(process.execPath, ['scripts/bootstrap.mjs', 'test', ...positionals], { cwd: root })
  if (isInterrupted) break
  table.push({ run: index, result: ended.code === 0 ? 'passed' : 'FAILED', minutes: minutesSince(started) })
  console.log(
    `run ${index} of ${runs} with ${loops} busy loops on ${cores} cores: ${table.at(-1).result}, ${table.at(-1).minutes} min`,
  )
}
const passed = table.filter(({ result }) => result === 'passed').length
console.table(table)
console.log(`${passed} of ${runs} runs passed${isInterrupted ? ' before the interruption' : ''}`)
process.exit(passed === runs ? 0 : 1)

function minutesSince(started) {
  return ((Date.now() - started) / 60_000).toFixed(1)
}
