import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CLAIM, ENDLESS, MORE, makeProject, stopOf } from './project.mjs'

/** SIGKILL at random moments. ROUNDS=50 looks longer. */
const ROUNDS = Number(process.env.ROUNDS ?? 8)
const ITERATIONS = 4
/** After this many kills a command is left alone, so that a round ends. */
const MOST_KILLS = 6

const decisions = (events) =>
  events.filter(({ type }) => type === 'iteration.decided').map(({ iteration }) => iteration)
const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1)
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)

/** Works by the number of its iteration alone, so that doing one twice gives the same. */
const AGENT = `import { writeFileSync } from 'node:fs'
const n = Number(process.env.EXITGATE_ITERATION)
writeFileSync('notes.txt', 'iteration ' + n)
if (n === ${ITERATIONS}) writeFileSync('fixed', '')
console.log(n === ${ITERATIONS} ? ${JSON.stringify(CLAIM)} : ${JSON.stringify(MORE)})
`

/** Milliseconds that the work takes when nobody disturbs it: kills are spread over that time, on any machine. */
async function timeOf(work) {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Starts the command and kills it after a random part of the time, until it ends by itself. Gives how often it was killed, and its end. */
async function untilItEnds(start, ms) {
  for (let kills = 0; ; kills++) {
    const { child, done } = start()
    const timer = kills < MOST_KILLS ? setTimeout(() => child.kill('SIGKILL'), Math.random() * ms) : undefined
    const end = await done
    clearTimeout(timer)
    if (end.signal !== 'SIGKILL') return { kills, end }
  }
}

/** What is wrong with the checkpoints of a finished run, the locks it left and its status file; nothing when all is well. */
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
  const { kills, end } = await untilItEnds(start, ms)
  // Killed after the end was recorded: the last start only brings the copies up to date.
  const over = end.code === 0 || (end.code === 64 && /is finished/.test(end.stderr))
  return { kills, problems: over ? problemsOf(project) : [`exit ${end.code}: ${end.stderr.slice(-300)}`] }
}

/** The whole run once, undisturbed. */
const wholeRun = (dir) => {
  const project = makeProject(join(dir, 'undisturbed'))
  return timeOf(() => project.run(['run', '--plain', '--checkpoint', '--', ...project.agent(AGENT)]))
}

async function rounds(dir, say, each) {
  let kills = 0
  const problems = []
  for (let n = 0; n < ROUNDS; n++) {
    const round = await each(join(dir, `r${n}`))
    kills += round.kills
    problems.push(...round.problems.map((text) => `round ${n + 1}: ${text}`))
    say(`round ${n + 1} of ${ROUNDS}: ${round.kills} kills, ${round.problems.join('; ') || 'nothing lost'}`)
  }
  return { ok: problems.length === 0, detail: `${ROUNDS} rounds, ${kills} kills. ${problems.join('; ')}`.trim() }
}

export const rows = [
  {
    name: 'run and resume: no iteration lost or counted twice, a checkpoint for each, status.json knows the end',
    async run({ dir, say }) {
      const ms = await wholeRun(dir)
      return rounds(dir, say, (folder) => killedRun(folder, ms))
    },
  },
  {
    name: 'run, killed as soon as its end is recorded: its checkpoints are complete, and the next start repairs status.json',
    run: ({ dir, say }) =>
      rounds(dir, say, async (folder) => {
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
    name: 'check: what was killed is decided by the next call, once',
    run: ({ dir, say }) =>
      rounds(dir, say, async (folder) => {
        const project = makeProject(folder, { 'exitgate.config.json': ENDLESS })
        writeFileSync(join(folder, 'said.txt'), MORE)
        const args = ['check', '--transcript', join(folder, 'said.txt'), '--quiet', '--json']
        const ms = await timeOf(() => project.run(args))
        let kills = 0
        for (let n = 0; n < 3; n++) {
          const ended = await untilItEnds(() => project.start(args), ms)
          kills += ended.kills
          if (ended.end.code !== 10) return { kills, problems: [`exit ${ended.end.code}: ${ended.end.stderr}`] }
        }
        const iterations = decisions(project.events())
        const verified = await project.run(['state', '--verify'])
        // A check that was killed after it had recorded its decision counts: it is one decision more, never one twice.
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
    name: 'hook: the session is answered after every kill, and its iterations follow each other',
    run: ({ dir, say }) =>
      rounds(dir, say, async (folder) => {
        const project = makeProject(folder)
        await project.run(['trust'])
        const input = stopOf(project.dir, 's1', CLAIM)
        const ms = await timeOf(() => project.run(['hook', 'claude'], { input }))
        let kills = 0
        for (let n = 0; n < 3; n++) {
          const ended = await untilItEnds(() => project.start(['hook', 'claude'], { input }), ms)
          kills += ended.kills
          if (!ended.end.stdout.includes('"block"'))
            return { kills, problems: [`answered ${ended.end.stdout}${ended.end.stderr}`] }
        }
        const runs = []
        for (const event of project.sessions().flat()) {
          if (event.type === 'run.started') runs.push([])
          if (event.type === 'iteration.decided') runs.at(-1).push(event.iteration)
        }
        const follow = runs.every((iterations) => same(iterations, upTo(iterations.length)))
        return { kills, problems: follow && runs.flat().length >= 3 ? [] : [`iterations ${JSON.stringify(runs)}`] }
      }),
  },
]

/** Files of callers that are gone: the next one removes them. */
const leftIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name === 'lock')
    .map((name) => `${name} is left`)
