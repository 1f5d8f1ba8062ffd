import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./run-solutions.py', import.meta.url))
const WALLS =
  '--unshare-all --die-with-parent --clearenv --ro-bind /usr /usr --ro-bind-try /bin /bin --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --setenv PATH /usr/bin:/bin --setenv PYTHONDONTWRITEBYTECODE 1'

/** Models wrote these programs, so they run without network and files of this machine. */
export const canRunSolutions = () =>
  spawnSync('bwrap', [...WALLS.split(' '), 'python3', '-c', ''], { stdio: 'ignore' }).status === 0

/** Runs each job `{ id, solution, tests, module?, io? }`. The test runs by id. */
export async function runSolutions(jobs) {
  const args = [...WALLS.split(' '), '--ro-bind', PROGRAM, '/tmp/run.py', 'python3', '/tmp/run.py']
  const child = spawn('bwrap', args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const all = new Map()
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, results } = JSON.parse(line)
      all.set(id, results ? testRun(results) : undefined)
    }
  })()
  for (const job of jobs)
    if (!child.stdin.write(`${JSON.stringify(job)}\n`)) await new Promise((done) => child.stdin.once('drain', done))
  child.stdin.end()
  await reading
  return all
}

function testRun(results) {
  const tests = Object.entries(results).map(([name, passed]) => ({ name, state: passed ? 'passed' : 'failed' }))
  const failed = tests.filter(({ state }) => state === 'failed').length
  const total = tests.length
  return { passed: total - failed, failed, skipped: 0, total, ok: failed === 0, framework: 'python', tests }
}

/** What the check makes of its findings once it has tried its warnings. `jobOf` gives the job for a source. */
export async function tryWarnings(warned, jobOf) {
  const { judgeKnockOut, knockedOut, severityAfter } = await import('./library.mjs')
  const jobs = warned.flatMap((each, at) => [
    { id: `now ${at}`, ...jobOf(each, each.source) },
    { id: `without ${at}`, ...jobOf(each, knockedOut(each.source, each.found.answered, [each.tests])) },
  ])
  const results = await runSolutions(jobs)
  return warned.map(({ found }, at) => {
    const now = results.get(`now ${at}`)
    const isTried = now?.failed === 0 && found.answered.every((each) => each.at.length > 0)
    return isTried
      ? severityAfter(found, judgeKnockOut(found.answered, now, results.get(`without ${at}`)))
      : found.severity
  })
}
