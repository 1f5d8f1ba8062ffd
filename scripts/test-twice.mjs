// For .ci/run: all tests with every program that can be installed, then those that start processes as on a machine without them.
import { spawn } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { linesOfTwo } from './closing-line.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Shows the output, and keeps the last line and the exit code. */
function tests(args) {
  const child = spawn(execPath, args, { cwd: root, stdio: ['inherit', 'pipe', 'inherit'] })
  let end = ''
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk)
    end = (end + chunk).slice(-10_000)
  })
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code: code ?? 1, line: end.trim().split('\n').at(-1) ?? '' }))
  })
}

const all = await tests(['scripts/bootstrap.mjs', 'test'])
console.log('\n== bare: the tests that start processes, without optional programs')
const bare = await tests(['scripts/bare.mjs', 'node', 'scripts/bootstrap.mjs', 'test', '--processes'])
console.log()
for (const line of linesOfTwo(all.line, bare.line)) console.log(line)
process.exitCode = all.code || bare.code
