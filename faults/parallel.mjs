// A task list with parallel agents: SIGKILL at random moments, also while merging, Ctrl+C, Ctrl+Z and a full disk.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MEGABYTES, onSmallDisk } from './disks.mjs'
import { killUntilDone, measureMs, noProc, nothingLeft, rounds, stopAll } from './processes.mjs'
import { CLAIM, MORE, makeProject } from './project.mjs'

/** ROUNDS=20 runs longer. */
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const INTERRUPTED = 3
const KILLED = 130
const WAITS = `: > "$HOME/at-$id"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done\n`

const TASKS = [
  { id: 'one', prompt: 'TASK one' },
  { id: 'two', prompt: 'TASK two' },
  { id: 'three', prompt: 'TASK three' },
  { id: 'four', prompt: 'TASK four', after: ['one'] },
]
const FIRST = TASKS.slice(0, 3).map(({ id }) => id)

/** Its first iteration only starts the work, so every task takes two. Without space for its work it fails, and needs one more. */
const agentWith = (first) => `id=$(sed -n 's/^TASK //p' | head -n 1)
${first}mkdir -p parts
echo "$EXITGATE_ITERATION" > "parts/$id" || exit 1
[ "$EXITGATE_ITERATION" = 1 ] || : > fixed
[ "$EXITGATE_ITERATION" = 1 ] && cat "$HOME/said-1" || cat "$HOME/said-2"
`

function makeTasks(dir, { first = '', merge = false, env = {}, failures = 0 } = {}) {
  const project = makeProject(dir)
  Object.assign(project.env, env)
  const [agent, list] = [join(dir, 'agent.sh'), join(dir, 'tasks.json')]
  writeFileSync(agent, agentWith(first))
  writeFileSync(join(dir, 'said-1'), MORE)
  writeFileSync(join(dir, 'said-2'), CLAIM)
  writeFileSync(list, JSON.stringify({ tasks: TASKS }))
  const folder = () => {
    const state = project.env.EXITGATE_STATE_DIR
    const name = existsSync(state) ? readdirSync(state).find((each) => each.startsWith('work-')) : undefined
    return join(state, name ?? 'none', 'backlog')
  }
  const hasBegun = () => existsSync(join(folder(), 'backlog.json'))
  const args = () => [
    ...['run', '--tasks', list, '--parallel', '3', '--plain'],
    ...(merge ? ['--merge'] : []),
    ...(hasBegun() ? ['--resume'] : []),
    ...['--', 'sh', agent],
  ]
  return { project, folder, merge, failures, start: () => project.start(args()) }
}

/** Problems with what is left of a list that ended: every task verified once, its work on its branch, and nothing else. */
async function problemsOf({ project, folder, merge, failures }, { code, stdout, stderr }) {
  if (code !== 0) return [`exit code ${code}: ${stdout.slice(-600)}${stderr.slice(-300)}`]
  const { tasks } = JSON.parse(readFileSync(join(folder(), 'backlog.json'), 'utf8'))
  const problems = []
  const expect = (ok, text) => ok || problems.push(text)
  for (const { id } of TASKS) {
    const { dir, end } = tasks[id] ?? {}
    expect(end?.ending === 'verified', `${id} ended as ${end?.ending}`)
    const decided = project
      .events(dir ?? '')
      .flatMap((event) => (event.type === 'iteration.decided' ? [event.iteration] : []))
    const inOrder = decided.every((iteration, at) => iteration === at + 1)
    expect(inOrder && decided.length >= 2 && decided.length <= 2 + failures, `${id} decided ${decided}`)
    const verified = await project.run(['state', '--verify', '--state-dir', dir ?? ''])
    expect(verified.code === 0, `the journal of ${id}: ${verified.stdout}${verified.stderr}`)
    const work = project.git('log', '--format=%H', `--grep=^Task: ${id}$`, `exitgate/${id}`).trim().split('\n')
    expect(work.length === 1 && work[0] === end?.commit, `${work.length} commits of ${id}`)
    const last = String(decided.at(-1))
    expect(project.git('show', `exitgate/${id}:parts/${id}`).trim() === last, `the work of ${id} is not on its branch`)
    if (!merge) continue
    expect(end?.merge?.kind === 'merged', `${id}: merge ${JSON.stringify(end?.merge)}`)
    expect(existsSync(join(project.dir, 'parts', id)), `${id} is not in the working tree`)
  }
  const branches = project.git('branch', '--format=%(refname:short)', '--list', 'exitgate*').trim().split('\n')
  expect(branches.length === TASKS.length, `branches ${branches}`)
  const trees = project.git('worktree', 'list').trim().split('\n')
  expect(trees.length === 1, `worktrees ${trees}`)
  const left = ['worktrees', 'merge'].flatMap((name) => {
    const path = join(folder(), name)
    return existsSync(path) ? [name, ...readdirSync(path)] : []
  })
  expect(left.filter((name) => name !== 'worktrees').length === 0, `folders ${left}`)
  expect(project.git('status', '--porcelain', '--untracked-files=no') === '', 'the working tree is not clean')
  expect(await nothingLeft(project.root), 'processes are left')
  return problems
}

/** A list that is killed at random and resumed until it ends. */
const killed = (name, merge) => ({
  name,
  async run({ dir, log }) {
    if (noProc) return noProc
    const undisturbed = makeTasks(join(dir, 'undisturbed'), { merge })
    let end
    const ms = await measureMs(async () => {
      end = await undisturbed.start().done
    })
    const problems = await problemsOf(undisturbed, end)
    if (problems.length > 0) return { ok: false, detail: `undisturbed: ${problems.join('; ')}` }
    return rounds(ROUNDS, dir, log, async (folder) => {
      const list = makeTasks(folder, { merge })
      const ended = await killUntilDone(list.start, ms)
      return { kills: ended.kills, problems: await problemsOf(list, ended.end) }
    })
  },
})

/** Starts a list whose agents wait for the file `go`, and returns when three of them work. */
async function startWaiting(dir) {
  const list = makeTasks(dir, { first: WAITS })
  const { child, done } = list.start()
  let over = false
  done.then(() => {
    over = true
  })
  while (!over && !FIRST.every((id) => existsSync(join(dir, `at-${id}`)))) await sleep(20)
  return { list, child, done, go: () => writeFileSync(join(dir, 'go'), ''), isOver: () => over }
}

/** Signals while three agents work; then the list is resumed. */
const interrupted = (name, code, send) => ({
  name,
  async run({ dir }) {
    if (noProc) return noProc
    const started = await startWaiting(dir)
    await send(started)
    const end = await started.done
    const clean = await nothingLeft(dir)
    if (end.code !== code || !clean)
      return {
        ok: false,
        detail: `exit code ${end.code}${clean ? '' : ', processes are left'}\n${end.stdout}${end.stderr}`,
      }
    started.go()
    const problems = await problemsOf(started.list, await started.list.start().done)
    return { ok: problems.length === 0, detail: `exit code ${end.code}. ${problems.join('; ')}` }
  },
})

export const rows = [
  killed('killed at random and resumed, every task is done once and nothing is left', false),
  killed('killed at random with --merge, every task is merged once and nothing is left', true),
  interrupted(
    'Ctrl+C once: the agents finish their iteration, and --resume continues',
    INTERRUPTED,
    async ({ child, go }) => {
      child.kill('SIGINT')
      await sleep(500)
      go()
    },
  ),
  interrupted('Ctrl+C twice: all agents end at once, and --resume continues', KILLED, async ({ child, isOver }) => {
    while (!isOver()) {
      child.kill('SIGINT')
      await sleep(400)
    }
  }),
  {
    name: 'SIGTSTP stops all agents, and SIGCONT continues them',
    async run({ dir }) {
      if (noProc) return noProc
      const { list, child, done, go } = await startWaiting(dir)
      const { ok, states } = await stopAll(dir, child)
      child.kill('SIGCONT')
      go()
      const problems = await problemsOf(list, await done)
      return {
        ok: ok && problems.length === 0,
        detail: `states while stopped: ${states}. ${problems.join('; ')}`,
      }
    },
  },
  {
    name: 'the agents fill the disk of the state and the worktrees, and the list continues when there is space',
    run: ({ dir }) =>
      onSmallDisk(dir, async ({ disk, free }) => {
        const fills = `[ -e "$HOME/filled" ] || { : > "$HOME/filled"; head -c ${(MEGABYTES + 1) * 1024 * 1024} /dev/zero > "${disk}/fill"; }\n`
        const list = makeTasks(dir, { first: fills, env: { EXITGATE_STATE_DIR: join(disk, 'state') }, failures: 1 })
        const full = await list.start().done
        const text = `${full.stdout}${full.stderr}`
        if (full.code === 0 || /^ {4}at |internal error/m.test(text) || !/no space left|ENOSPC/.test(text))
          return { ok: false, detail: `full: exit code ${full.code}\n${text}` }
        free()
        const problems = await problemsOf(list, await list.start().done)
        return { ok: problems.length === 0, detail: `exit code ${full.code} while full. ${problems.join('; ')}` }
      }),
  },
]
