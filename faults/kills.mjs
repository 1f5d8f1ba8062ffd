import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf, killUntilDone, measureMs, noBubblewrap, noProc, rounds, startInSandbox } from './processes.mjs'
import { CLAIM, ENDLESS, MORE, makeProject, REFUSED, stopOf } from './project.mjs'

/** SIGKILL at random moments. ROUNDS=50 runs longer. */
const ROUNDS = Number(process.env.ROUNDS ?? 8)
const ITERATIONS = 4

const decisions = (events) =>
  events.filter(({ type }) => type === 'iteration.decided').map(({ iteration }) => iteration)
const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1)
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)

/** What it does depends only on the number of the iteration, so repeating one gives the same. */
const AGENT = `import { writeFileSync } from 'node:fs'
const n = Number(process.env.EXITGATE_ITERATION)
writeFileSync('notes.txt', 'iteration ' + n)
if (n === ${ITERATIONS}) writeFileSync('fixed', '')
console.log(n === ${ITERATIONS} ? ${JSON.stringify(CLAIM)} : ${JSON.stringify(MORE)})
`

/** Problems with the checkpoints, the locks and the status file of a finished run. */
function problemsOf(project) {
  const events = project.events()
  const iterations = decisions(events)
  const run = events.findLast(({ type }) => type === 'run.started')?.run
  const recorded = events
    .filter(({ type }) => type === 'checkpoint')
    .map(({ iteration, commit }) => ({ iteration, commit }))
  const branch = project
    .git('log', '--reverse', '--format=%H %s', `exitgate/${run}`)
    .trim()
    .split('\n')
    .filter((line) => line.includes('exitgate: iteration'))
    .map((line) => ({ iteration: Number(/iteration (\d+)/.exec(line)?.[1]), commit: line.split(' ', 1)[0] }))
  const works = recorded.map(({ commit }) => project.git('show', `${commit}:notes.txt`))
  const { ended, events: known } = project.status()
  return [
    same(iterations, upTo(ITERATIONS)) ? [] : `decided ${iterations}`,
    same(
      recorded.map(({ iteration }) => iteration),
      upTo(ITERATIONS),
    )
      ? []
      : `checkpoints of ${recorded.map(({ iteration }) => iteration)}`,
    same(recorded, branch) ? [] : `the branch has ${branch.length} commits, the journal ${recorded.length}`,
    same(
      works,
      upTo(ITERATIONS).map((n) => `iteration ${n}`),
    )
      ? []
      : `wrong trees: ${works}`,
    ended?.outcome === 'completed' && known === events.at(-1).seq
      ? []
      : `status.json: ${JSON.stringify(ended)} at event ${known}`,
    existsSync(join(project.journalDir(), 'lock')) ? 'a lock is left' : [],
  ].flat()
}

/** A run with checkpoints, killed at random and resumed until it has ended. */
async function killedRun(dir, ms) {
  const project = makeProject(dir)
  const agent = project.agent(AGENT)
  const hasBegun = () => project.events().some(({ type }) => type === 'run.started')
  const start = () =>
    project.start(['run', '--plain', '--checkpoint', ...(hasBegun() ? ['--resume'] : []), '--', ...agent])
  const { kills, end } = await killUntilDone(start, ms)
  // Killed after the end was recorded; the last start only updates the copies.
  const over = end.code === 0 || (end.code === 64 && /is finished/.test(end.stderr))
  return { kills, problems: over ? problemsOf(project) : [`exit ${end.code}: ${end.stderr.slice(-300)}`] }
}

/** The complete run once, undisturbed. */
const undisturbedRun = (dir) => {
  const project = makeProject(join(dir, 'undisturbed'))
  return measureMs(() => project.run(['run', '--plain', '--checkpoint', '--', ...project.agent(AGENT)]))
}

export const rows = [
  {
    name: 'run and resume: no iteration lost or counted twice, a checkpoint for each, status.json has the end',
    async run({ dir, log }) {
      const ms = await undisturbedRun(dir)
      return rounds(ROUNDS, dir, log, (folder) => killedRun(folder, ms))
    },
  },
  {
    name: 'run, killed as soon as its end is recorded: the checkpoints are complete, and the next start repairs status.json',
    run: ({ dir, log }) =>
      rounds(ROUNDS, dir, log, async (folder) => {
        const project = makeProject(folder)
        const agent = project.agent(AGENT)
        const { child, done } = project.start(['run', '--plain', '--checkpoint', '--', ...agent])
        const hasEnded = () => project.events().some(({ type }) => type === 'run.ended')
        while (child.exitCode === null && !hasEnded()) await sleep(1)
        child.kill('SIGKILL')
        const kills = (await done).signal === 'SIGKILL' ? 1 : 0
        await project.run(['run', '--plain', '--resume', '--', ...agent])
        return { kills, problems: problemsOf(project) }
      }),
  },
  {
    name: 'check: a killed check is decided once, by the next call',
    run: ({ dir, log }) =>
      rounds(ROUNDS, dir, log, async (folder) => {
        const project = makeProject(folder, { 'exitgate.config.json': ENDLESS })
        writeFileSync(join(folder, 'said.txt'), MORE)
        const args = ['check', '--transcript', join(folder, 'said.txt'), '--quiet', '--json']
        const ms = await measureMs(() => project.run(args))
        let kills = 0
        for (let n = 0; n < 3; n++) {
          const ended = await killUntilDone(() => project.start(args), ms)
          kills += ended.kills
          if (ended.end.code !== 10) return { kills, problems: [`exit ${ended.end.code}: ${ended.end.stderr}`] }
        }
        const iterations = decisions(project.events())
        const verified = await project.run(['state', '--verify'])
        // A check killed after recording its decision still counts: one more decision, never the same one twice.
        const problems = [
          ...(same(iterations, upTo(iterations.length)) && iterations.length >= 3 ? [] : [`decided ${iterations}`]),
          ...(verified.code === 0 ? [] : [verified.stdout]),
          ...(project.status().iterations === iterations.length ? [] : ['status.json is not up to date']),
          ...leftIn(project.journalDir()),
        ]
        return { kills, problems }
      }),
  },
  {
    name: 'hook: the session is answered after every kill, and its iterations are consecutive',
    run: ({ dir, log }) =>
      rounds(ROUNDS, dir, log, async (folder) => {
        const project = makeProject(folder)
        await project.trust()
        const input = stopOf(project.dir, 's1', CLAIM)
        const ms = await measureMs(() => project.run(['hook', 'claude'], { input }))
        let kills = 0
        for (let n = 0; n < 3; n++) {
          const ended = await killUntilDone(() => project.start(['hook', 'claude'], { input }), ms)
          kills += ended.kills
          if (!ended.end.stdout.includes(REFUSED))
            return { kills, problems: [`answered ${ended.end.stdout}${ended.end.stderr}`] }
        }
        const runs = []
        for (const event of project.sessions().flat()) {
          if (event.type === 'run.started') runs.push([])
          if (event.type === 'iteration.decided') runs.at(-1).push(event.iteration)
        }
        const areConsecutive = runs.every((iterations) => same(iterations, upTo(iterations.length)))
        return {
          kills,
          problems: areConsecutive && runs.flat().length >= 3 ? [] : [`iterations ${JSON.stringify(runs)}`],
        }
      }),
  },
  {
    name: 'run: SIGKILL while the agent works in a sandbox leaves no process there, and --resume continues',
    async run({ dir }) {
      const missing = noProc ?? noBubblewrap()
      if (missing) return missing
      const project = makeProject(dir)
      const { child, done } = await startInSandbox(project, ['--max-iterations', '1'])
      const before = descendantsOf(child.pid).map(({ pid }) => pid)
      child.kill('SIGKILL')
      await done
      project.write('go', '')
      const next = await project.run(['run', '--plain', '--max-iterations', '1', '--resume', '--', 'sh', '-c', 'true'])
      const left = before.filter((pid) => existsSync(`/proc/${pid}/exe`))
      const decided = decisions(project.events())
      const ok = before.length > 1 && left.length === 0 && next.code === 2 && same(decided, [1])
      const detail = `${before.length} processes before, ${left.length} after; exit code ${next.code}; decided ${decided}`
      return { ok, detail: ok ? detail : `${detail}\n${next.stdout}${next.stderr}` }
    },
  },
]

/** Files of dead callers; the next caller removes them. */
const leftIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name === 'lock')
    .map((name) => `${name} is left`)
