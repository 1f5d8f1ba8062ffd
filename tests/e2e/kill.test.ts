import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import { patience } from '../timing.ts'
import { CLAIM, processesOf, runProject } from './run-project.ts'

/** Set EXITGATE_KILLS=200 for the full test. */
const KILLS = Number(process.env.EXITGATE_KILLS ?? 16)

/** What it does depends only on the iteration, so repeating one gives the same result. It leaves a process running each time. */
const AGENT = `import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
const n = Number(process.env.EXITGATE_ITERATION)
spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref()
await new Promise((resolve) => setTimeout(resolve, 30))
writeFileSync('notes.txt', 'iteration ' + n)
if (n === 2) writeFileSync('first.txt', 'done')
if (n === 4) writeFileSync('second.txt', 'done')
if (n === 1 || n === 4) ${CLAIM}
else console.log('Working on it.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest')
`

type Decided = Extract<JournalEvent, { type: 'iteration.decided' }>

/** Everything that must not change however often the run is killed, so no times. */
const story = (events: readonly JournalEvent[]) =>
  events
    .filter((event): event is Decided => event.type === 'iteration.decided')
    .map(({ iteration, verdict, observation, after }) => ({
      iteration,
      verdict,
      claim: observation.signals.claim,
      // A run killed between its tests and its decision repeats the tests, so it may count more passing runs.
      evidence: Object.values(observation.evidence).map(({ check, answer, detail, counts, tree }) => ({
        check,
        answer,
        detail,
        counts: { ...counts, greenRuns: Math.min(counts?.greenRuns ?? 0, 2) },
        tree,
      })),
      failed: observation.failed,
      streaks: after.streaks,
      breaker: after.breaker,
      trees: after.trees,
    }))

async function undisturbed() {
  const project = runProject()
  const began = performance.now()
  const ran = await project.run(['run', '--plain', '--', ...project.agent(AGENT)])
  expect(ran.code, ran.stdout + ran.stderr).toBe(0)
  return { expected: story(project.events()), took: performance.now() - began }
}

describe('kill -9 of the runner', () => {
  it(`${KILLS} times at random moments: the journal records the same decisions`, {
    timeout: patience(600_000),
  }, async () => {
    const { expected, took } = await undisturbed()
    expect(expected.map(({ verdict }) => verdict.action)).toEqual(['continue', 'continue', 'continue', 'stop'])
    let kills = 0
    while (kills < KILLS) {
      const project = runProject()
      const agent = project.agent(AGENT)
      let resume: readonly string[] = []
      for (let code: number | null = null; code === null; ) {
        const { child, done } = await project.start(['run', '--plain', ...resume, '--', ...agent])
        const kill = kills < KILLS ? sleep(Math.random() * took).then(() => child.kill('SIGKILL')) : undefined
        const ran = await done
        void kill
        if (ran.signal === 'SIGKILL') kills++
        // If the run was killed before it was saved, there is nothing to resume, so start it again.
        else if (ran.code === 64 && ran.stderr.includes('There is no run to resume here.')) resume = []
        else code = ran.code
        if (ran.signal === 'SIGKILL') resume = ['--resume']
        expect([null, 0, 64], ran.stdout + ran.stderr).toContain(ran.code)
      }
      expect(story(project.events())).toEqual(expected)
      expect(processesOf(project.root)).toEqual([])
      expect(existsSync(join(project.journalDir(), 'lock'))).toBe(false)
      expect(readdirSync(project.temp)).toEqual([])
      expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
      expect(project.git('stash', 'list')).toBe('')
    }
  })
})
