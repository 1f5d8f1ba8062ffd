import { describe, expect, it } from 'vitest'
import { expectGolden } from '../evidence/golden-files.ts'
import { patience } from '../timing.ts'
import { agentOf, atWork, goAhead, order, prompted, written } from './fixtures-presets/kit.ts'
import { NODE_TESTS, runProject, TAP } from './run-project.ts'

const PRP = `# Sums

## Acceptance criteria

- [ ] two numbers are added
- [ ] no numbers give zero
`
/** Replaces the project's tests: greps in the agent's files decide which of them pass. */
const SCRIPT = `${TAP}check 'what was there before' true
test ! -e test/two.test.js || check 'adds two numbers' grep -q 'a + b' src/sum.js
test ! -e test/none.test.js || check 'is zero without numbers' grep -q 'reduce' src/sum.js
`
const OLD = "import { test } from 'node:test'\ntest('what was there before', () => {})\n"
/** Rejects the first time and approves the second. */
const REVIEWER = `import { existsSync, writeFileSync } from 'node:fs'
const second = existsSync(process.env.HOME + '/asked')
writeFileSync(process.env.HOME + '/asked', '')
const issues = second ? [] : [{ file: 'src/sum.js', line: 1, text: 'say what it does' }]
console.log(JSON.stringify({ verdict: second ? 'APPROVE' : 'REJECT', blocking_issues: issues }))
`
/** Its agent draws in PlantUML, because Mermaid diagrams would be parsed. */
const PLANTUML_ONLY = { EXITGATE_PRP_REQUIRE_DIAGRAMS: 'false' }
const LONG = { timeout: patience(120_000) }
const RUN = ['run', '--plain', '--preset', 'prp', '--max-iterations', '12', '--prompt', 'PRPs/sums.md'] as const

const project = () => runProject({ 'halves.sh': SCRIPT, 'PRPs/sums.md': PRP })
const session = (made: ReturnType<typeof project>, name: string) =>
  JSON.parse(made.text(`.prp-session/${name}.json`)) as Record<string, unknown>

describe('a run with the prp preset', () => {
  it('passes RED, GREEN, REFACTOR and DOCUMENT, each with its own checks', LONG, async () => {
    const made = runProject({ ...NODE_TESTS, 'halves.test.js': OLD, 'PRPs/sums.md': PRP })
    const ran = await made.run([...RUN, '--', ...agentOf('prp', 'completes')])
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expectGolden('preset-runs/prp-completes.txt', written(made, '.prp-session'))
    const phases = ['RED', 'RED', 'GREEN', 'GREEN', 'GREEN', 'REFACTOR', 'DOCUMENT', 'DOCUMENT']
    expect(order(made)).toEqual(phases.map((phase, at) => `${at + 1} ${phase}`))
    for (const [at, phase] of phases.entries())
      expect(prompted(made, at + 1)).toContain(`## Current phase\n\n${phase}\n`)
    expect(prompted(made, 2)).toMatch(/## Not done yet[\s\S]*- 0 tests for 2 criteria\n/)
    expect(prompted(made, 8)).toMatch(/- 1 of 3 documents\n[\s\S]*- an ADR is missing\n/)
  })

  it('is merged with the checks of its last phase, also by a later command', LONG, async () => {
    const made = runProject({ ...NODE_TESTS, 'halves.test.js': OLD, 'PRPs/sums.md': PRP })
    const file = made.write('../tasks.json', JSON.stringify({ tasks: [{ id: 'sums', prompt: PRP }] }))
    const tasks = ['run', '--plain', '--preset', 'prp', '--max-iterations', '12', '--tasks', file]
    for (const more of [[], ['--resume', '--merge']]) {
      const ran = await made.run([...tasks, ...more, '--', ...agentOf('prp', 'completes')])
      expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    }
    expect(made.git('ls-files', 'src')).toContain('src/sum.js')
  })

  it('goes back from QA to GREEN, and QA approves it the second time', LONG, async () => {
    const made = project()
    made.write('../review.mjs', REVIEWER)
    const config = { prp: { qa: true, requireDiagrams: false }, evidence: { review: `node ${made.root}/review.mjs` } }
    const file = made.write('../qa.json', JSON.stringify(config))
    const ran = await made.run([...RUN, '--config', file, '--', ...agentOf('prp', 'reviewed')])
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    const way = ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT', 'QA', 'GREEN', 'REFACTOR', 'DOCUMENT', 'QA']
    expect(order(made)).toEqual(way.map((phase, at) => `${at + 1} ${phase}`))
    expect(session(made, 'loop-state')).toMatchObject({
      status: 'completed',
      prp_file: 'PRPs/sums.md',
      phases_completed: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT', 'QA'],
      total_agent_calls: 9,
    })
    expect(session(made, 'metrics')).toMatchObject({ progress_percent: 100 })
  })

  it.each([
    [
      'idle',
      'the breaker opens after 3 iterations in RED',
      { code: 1, agents: 3, phase: 'RED', breaker: 'No progress for 3 iterations' },
    ],
    [
      'opens',
      'the breaker opens after 2 iterations in GREEN',
      { code: 1, agents: 3, phase: 'GREEN', breaker: 'No progress for 2 iterations' },
    ],
    ['deletes', 'a deleted test', { code: 1, agents: 4, phase: 'GREEN', breaker: 'No progress for 2 iterations' }],
  ])('%s: %s', LONG, async (scenario, _about, expected) => {
    const made = project()
    const ran = await made.run([...RUN, '--', ...agentOf('prp', scenario)])
    expect(ran.code, ran.stdout + ran.stderr).toBe(expected.code)
    expect(order(made)).toHaveLength(expected.agents)
    expect(session(made, 'circuit-breaker')).toMatchObject({ state: 'OPEN', open_reason: expected.breaker })
    expect(session(made, 'loop-state')).toMatchObject({ status: 'halted', current_phase: expected.phase })
    if (scenario === 'opens') expectGolden('preset-runs/prp-opens.txt', written(made, '.prp-session'))
    if (scenario === 'deletes') expect(ran.stdout).toMatch(/still needed +- 1 test for 2 criteria/)
  })

  it(
    'opens the breaker of each run, which starts closed, and its files show where the last one stopped',
    LONG,
    async () => {
      const made = project()
      await made.run([...RUN, '--', ...agentOf('prp', 'opens')])
      const ran = await made.run([...RUN, '--', ...agentOf('prp', 'opens')])
      expect(ran.code, ran.stdout + ran.stderr).toBe(1)
      expect(order(made)).toHaveLength(6)
      const reason = 'Circuit breaker is OPEN: No progress for 3 iterations'
      expect(session(made, 'loop-state')).toMatchObject({
        status: 'halted',
        current_phase: 'RED',
        halt_reason: reason,
      })
    },
  )

  it('marks a phase that you skip as forced', LONG, async () => {
    const made = project()
    const started = await made.start(
      [...RUN, '--allow-remote-control', '--', ...agentOf('prp', 'waits')],
      PLANTUML_ONLY,
    )
    await atWork(made, 2)
    const asked = await made.run(['skip', '--reason', 'known failures', '--by', 'someone'])
    expect(asked, asked.stderr).toMatchObject({ code: 0, stdout: 'Skipping the current task or phase.\n' })
    const ran = await started.done
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(order(made)).toEqual(['1 RED', '2 GREEN', '3 REFACTOR', '4 DOCUMENT'])
    expect(made.text('.prp-session/phase-status.log')).toMatch(/PHASE: GREEN\n[\s\S]*FORCED_EXIT: true/)
    expect(session(made, 'loop-state')).toMatchObject({
      phase_history: { GREEN: { exit_reason: 'Forced' }, DOCUMENT: { exit_reason: 'Dual-Gate satisfied' } },
    })
  })

  it('SIGTERM pauses the session in its phase, and --resume continues there', LONG, async () => {
    const made = project()
    const { child, done } = await made.start([...RUN, '--', ...agentOf('prp', 'waits')], PLANTUML_ONLY)
    await atWork(made, 2)
    child.kill('SIGTERM')
    goAhead(made)
    const ran = await done
    expect(ran.code, ran.stdout + ran.stderr).toBe(3)
    const paused = { status: 'paused', current_phase: 'GREEN', pause_reason: 'User interrupt', halt_reason: null }
    expect(session(made, 'loop-state')).toMatchObject(paused)
    const again = await made.run([...RUN, '--resume', '--', ...agentOf('prp', 'waits')], PLANTUML_ONLY)
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(order(made)).toEqual(['1 RED', '2 GREEN', '3 GREEN', '4 REFACTOR', '5 DOCUMENT'])
    const { status, pause_reason } = session(made, 'loop-state')
    expect({ status, pause_reason }).toEqual({ status: 'completed', pause_reason: undefined })
  })

  it('--resume continues a session of PRP itself in its phase, if it can be resumed', LONG, async () => {
    const made = project()
    const stored = {
      session_id: 'u1',
      prp_file: 'PRPs/sums.md',
      started_at: 't',
      current_phase: 'GREEN',
      status: 'paused',
    }
    const refused: [object, object, string][] = [
      [{ status: 'completed' }, {}, 'Session already completed'],
      [{ prp_file: 'PRPs/other.md' }, {}, 'PRP mismatch: session=PRPs/other.md, requested=PRPs/sums.md'],
      [{}, { state: 'OPEN' }, 'Session halted by Circuit Breaker'],
      [{ current_phase: 'QA' }, {}, 'its phase QA is turned off here'],
    ]
    const resume = async (loop: object, breaker: object) => {
      made.write('.prp-session/loop-state.json', JSON.stringify({ ...stored, ...loop }))
      made.write('.prp-session/circuit-breaker.json', JSON.stringify({ state: 'CLOSED', ...breaker }))
      return made.run([...RUN, '--resume', '--max-iterations', '1', '--', ...agentOf('prp', 'idle')])
    }
    for (const [loop, breaker, why] of refused) {
      const ran = await resume(loop, breaker)
      expect([ran.code, ran.stderr]).toEqual([
        64,
        expect.stringContaining(`The session in .prp-session/loop-state.json can't be resumed: ${why}.`),
      ])
    }
    const ran = await resume({}, {})
    expect(ran.code, ran.stdout + ran.stderr).toBe(2)
    expect(ran.stdout + ran.stderr).toContain('Resuming the session u1 of .prp-session/loop-state.json in phase GREEN.')
    expect(order(made)).toEqual(['1 GREEN'])
  })
})
