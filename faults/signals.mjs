// Signals in every phase of a run: Ctrl+C once, twice and three times, SIGTERM, SIGHUP, Ctrl+Z, and a stopped process.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf, noBubblewrap, noProc, nothingLeft, startInSandbox, stopAll } from './processes.mjs'
import { makeProject } from './project.mjs'

const INTERRUPTED = 3
const KILLED = 130

/** Works until the file `go` exists, and reports when it began. */
const PATIENT_AGENT = `import { existsSync, writeFileSync } from 'node:fs'
console.log('working')
writeFileSync(process.env.HOME + '/at-agent', '')
while (!existsSync(process.env.HOME + '/go')) await new Promise((resolve) => setTimeout(resolve, 20))
console.log('Working.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest')
`
const QUICK_AGENT = `import { writeFileSync } from 'node:fs'
writeFileSync(process.env.HOME + '/slow', '')
console.log('Working.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest')
`
/** Runs as long as the file `slow` exists. */
const SLOW_CHECK = `[ -e ../slow ] && : > ../at-tests
while [ -e ../slow ]; do sleep 0.05; done
printf 'FAIL ./a.test.js\\n\\nTests:       1 failed, 1 total\\n'; exit 1
`

const STUBBORN_CHECK = `trap '' INT TERM\n${SLOW_CHECK}`

/** How to bring a run into each phase, and the file that shows it is there. */
const PHASES = {
  baseline: { agent: QUICK_AGENT, before: ['slow'], mark: 'at-tests' },
  agent: { agent: PATIENT_AGENT, before: [], mark: 'at-agent' },
  evidence: { agent: QUICK_AGENT, before: [], mark: 'at-tests' },
}

async function startIn(phase, dir, args = [], check = SLOW_CHECK) {
  const { agent, before, mark } = PHASES[phase]
  const project = makeProject(dir, { 'check.sh': check })
  for (const name of before) writeFileSync(join(dir, name), '')
  const { child, done } = project.start([
    'run',
    '--plain',
    '--max-iterations',
    '1',
    ...args,
    '--',
    ...project.agent(agent),
  ])
  let over = false
  done.then(() => {
    over = true
  })
  while (!existsSync(join(dir, mark)) && !over) await sleep(20)
  return { project, child, done, isOver: () => over }
}

/** Sends the signals with pauses in between, until the run is over. */
const interrupt = (phase, names, apartMs, codes) => ({
  name: `${names.join(', ')} during ${phase}${apartMs === 0 ? ', at once' : ''}: exit code ${codes.join(' or ')}`,
  async run({ dir }) {
    if (noProc) return noProc
    const { child, done, isOver } = await startIn(phase, dir)
    for (const name of names) {
      if (!isOver()) child.kill(name)
      await sleep(apartMs)
    }
    // The agent may finish its iteration after the first one.
    if (names.length === 1) writeFileSync(join(dir, 'go'), '')
    const { code, stdout, stderr } = await done
    const clean = await nothingLeft(dir)
    const detail = `exit code ${code}${clean ? '' : ', processes are left'}`
    return {
      ok: codes.includes(code) && clean,
      detail: codes.includes(code) ? detail : `${detail}\n${stdout}${stderr}`,
    }
  },
})

const phases = Object.keys(PHASES)

export const rows = [
  ...phases.flatMap((phase) => [
    interrupt(phase, ['SIGINT'], 0, [INTERRUPTED]),
    interrupt(phase, ['SIGTERM'], 0, [INTERRUPTED]),
    interrupt(phase, ['SIGHUP'], 0, [INTERRUPTED]),
    // Tests and baseline stop at the first signal, so the run may be over before the second.
    interrupt(phase, ['SIGINT', 'SIGINT'], 400, phase === 'agent' ? [KILLED] : [INTERRUPTED, KILLED]),
    interrupt(phase, ['SIGINT', 'SIGINT', 'SIGINT'], 60, phase === 'agent' ? [KILLED] : [INTERRUPTED, KILLED]),
  ]),
  ...phases.map((phase) => ({
    name: `SIGTSTP during ${phase}: all processes of the run stop, and continue with SIGCONT`,
    async run({ dir }) {
      if (noProc) return noProc
      const { child, done } = await startIn(phase, dir)
      const stopped = await stopAll(dir, child)
      child.kill('SIGCONT')
      writeFileSync(join(dir, 'go'), '')
      while (existsSync(join(dir, 'slow'))) rmSync(join(dir, 'slow'))
      const removing = setInterval(() => rmSync(join(dir, 'slow'), { force: true }), 50)
      const { code } = await done
      clearInterval(removing)
      return { ok: stopped.ok && code === 2, detail: `states while stopped: ${stopped.states}; exit code ${code}` }
    },
  })),
  {
    name: 'SIGINT three times during a baseline that ignores it: exit code 130',
    async run({ dir }) {
      if (noProc) return noProc
      const { child, done, isOver } = await startIn('baseline', dir, [], STUBBORN_CHECK)
      for (let n = 0; n < 3 && !isOver(); n++) {
        child.kill('SIGINT')
        await sleep(300)
      }
      const { code, stdout, stderr } = await done
      const clean = await nothingLeft(dir)
      const ok = code === KILLED && clean
      const detail = `exit code ${code}${clean ? '' : ', processes are left'}`
      return { ok, detail: ok ? detail : `${detail}\n${stdout}${stderr}` }
    },
  },
  {
    name: 'SIGTSTP during an agent in a sandbox: its processes stop, and continue with SIGCONT',
    async run({ dir }) {
      const missing = noProc ?? noBubblewrap()
      if (missing) return missing
      const project = makeProject(dir)
      const { child, done } = await startInSandbox(project, ['--max-iterations', '1'])
      child.kill('SIGTSTP')
      let states = []
      for (let tries = 0; tries < 100; tries++) {
        states = descendantsOf(child.pid).map(({ state }) => state)
        if (states.every((state) => 'TtZ'.includes(state))) break
        await sleep(50)
      }
      child.kill('SIGCONT')
      project.write('go', '')
      const { code } = await done
      const ok = states.length > 1 && states.every((state) => 'TtZ'.includes(state)) && code === 2
      return { ok, detail: `states while stopped: ${states.join(' ')}; exit code ${code}` }
    },
  },
  {
    name: 'a supervisor stopped for 9 s does not count as 4 s of silence',
    async run({ dir }) {
      if (noProc) return noProc
      const { project, child, done } = await startIn('agent', dir, ['--silence-minutes', '0.0667'])
      child.kill('SIGSTOP')
      await sleep(9_000)
      child.kill('SIGCONT')
      await sleep(500)
      writeFileSync(join(dir, 'go'), '')
      const { code } = await done
      const ended = agentEnd(project)
      return { ok: code === 2 && ended === 'exit', detail: `exit code ${code}, the agent ended by ${ended}` }
    },
  },
  {
    name: 'an agent that is silent for 2 s is still ended by its limit',
    async run({ dir }) {
      const { project, done } = await startIn('agent', dir, ['--silence-minutes', '0.0334'])
      const { code } = await done
      return {
        ok: code === 2 && agentEnd(project) === 'silence',
        detail: `exit code ${code}, ended by ${agentEnd(project)}`,
      }
    },
  },
]

const agentEnd = (project) => project.events().find(({ type }) => type === 'step.done')?.result?.ended
