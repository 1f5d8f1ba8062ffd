import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import { patience } from '../timing.ts'
import { processesOf, runProject } from './run-project.ts'

/** Set EXITGATE_KILLS=200 for the full test. */
const KILLS = Number(process.env.EXITGATE_KILLS ?? 16)

/** What it does depends only on the iteration, so repeating one gives the same result. It leaves a process running each time. */
const AGENT = `n=$EXITGATE_ITERATION
{ setsid sleep 600 || sleep 600; } < /dev/null > /dev/null 2>&1 &
sleep 0.03
printf "iteration $n" > notes.txt
if [ $n = 2 ]; then printf done > first.txt; fi
if [ $n = 4 ]; then printf done > second.txt; fi
case $n in
  1 | 4) printf 'All done.\\n\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none\\n' ;;
  *) printf 'Working on it.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest\\n' ;;
esac
`

type Decided = Extract<JournalEvent, { type: 'iteration.decided' }>

/** Everything that must not change however often the run is killed, so no times. */
const story = (events: readonly JournalEvent[]) =>
  events
    .filter((event): event is Decided => event.type === 'iteration.decided')
    .map(({ iteration, verdict, observation, after }) => ({
      iteration,
      // A command that was killed may have left something, which the verdict names.
      verdict: { ...verdict, reason: verdict.reason.replace(/ exitgate ended what .*/, '') },
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
