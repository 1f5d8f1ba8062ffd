import { describe, expect, it } from 'vitest'
import { expectGolden } from '../evidence/golden-files.ts'
import { patience } from '../timing.ts'
import { agentOf, atWork, bannerOf, goAhead, order, prompted, steady, written } from './fixtures-presets/kit.ts'
import { runProject } from './run-project.ts'

const FILES = {
  '.planning/ROADMAP.md': `# Roadmap

## Phase 1: Halves

- [ ] 01-01-PLAN.md: the first half
- [ ] 01-02-PLAN.md: the second half
`,
  '.planning/STATE.md': `# Project State

## Current Position

Phase: 1 of 1 (Halves)
Plan: 0 of 2 in current phase
Status: Ready
Last activity: never

Progress: [                              ] 0%

## Iteration History

<!-- HISTORY_START -->
| # | Timestamp | Outcome | Task |
|---|-----------|---------|------|
<!-- HISTORY_END -->

## Session Continuity

Stopped at: nothing yet
`,
}
const LONG = { timeout: patience(120_000) }
const RUN = ['run', '--plain', '--preset', 'gsd'] as const
const EXITED = '=== Ralph Exited: ABORTED ==='

describe('a run with the gsd preset', () => {
  it.each<[scenario: string, flags: readonly string[], code: number, order: readonly string[], head: string]>([
    ['completes', [], 0, ['1 01-01', '2 01-02', '3 01-02'], '=== Ralph Complete: COMPLETED ==='],
    ['stuck', [], 1, ['1 01-01', '2 01-01', '3 01-01'], '=== Ralph Stuck: Same task failed 3 times ==='],
    // A limit of N allows N iterations.
    ['works', ['--max-iterations', '2'], 2, ['1 01-01', '2 01-01'], EXITED],
    ['hangs', ['--max-minutes', '0.1'], 2, ['1 01-01'], EXITED],
  ])('%s %j ends with code %i', LONG, async (scenario, flags, code, agents, head) => {
    const made = runProject(FILES)
    const ran = await made.run([...RUN, ...flags, '--', ...agentOf('gsd', scenario)])
    expect(ran.code, ran.stdout + ran.stderr).toBe(code)
    expect(order(made)).toEqual(agents)
    expect(bannerOf(ran.stdout).split('\n').slice(0, 3)).toEqual([
      head,
      `Last task: ${agents.at(-1)?.slice(2)}`,
      `Iterations: ${agents.length}`,
    ])
    expectGolden(`preset-runs/gsd-${scenario}.txt`, written(made, '.planning'))
  })

  it('the prompt names the current item', LONG, async () => {
    const made = runProject(FILES)
    await made.run([...RUN, '--max-iterations', '1', '--', ...agentOf('gsd', 'works')])
    expect(prompted(made, 1)).toContain(
      '## Current task: item 1 of 2 in .planning/ROADMAP.md\n\n01-01-PLAN.md: the first half\n',
    )
  })

  it('SIGINT lets the agent finish, and STATE.md says INTERRUPTED', LONG, async () => {
    const made = runProject(FILES)
    const { child, done } = await made.start([...RUN, '--', ...agentOf('gsd', 'waits')])
    await atWork(made, 1)
    child.kill('SIGINT')
    goAhead(made)
    const ran = await done
    expect(ran.code, ran.stdout + ran.stderr).toBe(3)
    expect(ran.stdout).toContain('Interrupt received: stopping after the agent finishes this iteration')
    expect(steady(made.text('.planning/STATE.md'))).toContain(
      '| 1 | <time> | INTERRUPTED | Exit: INTERRUPTED - User interrupt (1 iterations, <h> <m>) |',
    )
  })

  it('an interrupt between two iterations is recorded in STATE.md too', LONG, async () => {
    const made = runProject(FILES)
    const { child, done } = await made.start([...RUN, '--calls-per-hour', '1', '--', ...agentOf('gsd', 'works')])
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (chunk: Buffer) => chunk.includes('iteration per hour') && resolve())
    })
    child.kill('SIGINT')
    const ran = await done
    expect(ran.code, ran.stdout + ran.stderr).toBe(3)
    const state = steady(made.text('.planning/STATE.md'))
    expect(state).toContain('Status: INTERRUPTED\nLast activity: <time> - User interrupt\n')
    expect(state).toMatch(
      /\| 1 \| <time> \| INTERRUPTED \|.*\n\| 1 \| <time> \| SUCCESS \| 01-01: Completion check: tests not passing \(TESTS_FAIL:2\)/,
    )
    expect(JSON.parse(made.text('.exitgate/status.json'))).toMatchObject({ ended: { outcome: 'interrupted' } })
  })
})
