import { describe, expect, it } from 'vitest'
import { expectGolden } from '../evidence/golden-files.ts'
import { patience } from '../timing.ts'
import { agentOf, order, prompted, written } from './fixtures-presets/kit.ts'
import { runProject } from './run-project.ts'

interface Row {
  readonly preset: string
  readonly scenario: string
  readonly files?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly code: number
  /** Outcome, ending, and the reason or a part of it. */
  readonly end: readonly [string, string]
  readonly agents: readonly string[]
  readonly folder: string
  /** Output that its users rely on. */
  readonly says?: readonly string[]
}

const BOARD = {
  '.doyaken/tasks/2.todo/001-first.md': '# The first half\n\nWrite first.txt.\n',
  '.doyaken/tasks/2.todo/002-second.md': '# The second half\n\nWrite second.txt.\n',
}
const FIVE = { '.ralph/@fix_plan.md': [1, 2, 3, 4, 5].map((at) => `- [ ] task ${at}\n`).join('') }
const HALVES = '- [ ] the first half\n- [ ] the second half\n'
const RALPH = { '.ralph/fix_plan.md': HALVES }
const doyaken = { preset: 'doyaken', files: BOARD, flags: ['--plan', '.doyaken/tasks'], folder: '.doyaken' } as const
const blackbox = { preset: 'blackbox', files: FIVE, folder: '.ralph' } as const
const cub = { preset: 'cub', folder: '.cub' } as const
const ralph = { preset: 'ralph', files: RALPH, folder: '.ralph' } as const
const HUNG = 'Circuit breaker tripped: No streaming activity for 1 minutes. A subprocess may be stuck.'

const rows: readonly Row[] = [
  {
    ...doyaken,
    scenario: 'completes',
    code: 0,
    end: ['completed/verified', ''],
    agents: ['1 001-first', '2 001-first', '3 002-second'],
    says: ['there are completion words, but no status block with a claim'],
  },
  {
    ...doyaken,
    scenario: 'stalls',
    code: 1,
    end: ['stuck/breaker', 'Circuit breaker is OPEN: The agent says it is not done.'],
    agents: ['1 001-first', '2 001-first', '3 001-first'],
    says: ['exitgate saw no change in 3 iterations.'],
  },
  {
    ...blackbox,
    scenario: 'eighty',
    code: 0,
    end: ['completed/threshold', 'Task completion 80% >= threshold 80%'],
    agents: ['1 task 1', '2 task 3'],
    says: ['Progress detected: 2/5 tasks done', '"task 5" (line 5)'],
  },
  {
    ...blackbox,
    scenario: 'whole',
    code: 0,
    end: ['completed/passed', 'Task completion 100% >= threshold 80%'],
    agents: ['1 task 1', '2 task 3'],
  },
  {
    ...blackbox,
    scenario: 'unsure',
    code: 2,
    end: ['aborted/low-confidence', '< threshold 70%'],
    agents: ['1 task 1'],
  },
  {
    ...blackbox,
    scenario: 'stagnates',
    code: 1,
    end: ['stuck/stagnation', 'No progress for 3 consecutive loops'],
    agents: ['1 task 1', '2 task 1', '3 task 1'],
    says: ['No progress (1/3 loops)'],
  },
  { ...cub, scenario: 'completes', code: 0, end: ['completed/verified', ''], agents: ['1', '2'] },
  {
    ...cub,
    scenario: 'listed',
    files: { 'PLAN.md': HALVES },
    flags: ['--plan', 'PLAN.md'],
    code: 0,
    end: ['completed/verified', ''],
    agents: ['1 the first half', '2 the second half'],
  },
  {
    ...cub,
    scenario: 'blocked',
    code: 1,
    end: ['stuck/breaker', 'Circuit breaker is OPEN: Exit gate not passing'],
    agents: ['1', '2', '3'],
  },
  {
    ...cub,
    scenario: 'hangs',
    env: { CUB_CIRCUIT_BREAKER_ACTIVITY_TIMEOUT: String(patience(5_000) / 60_000) },
    code: 1,
    end: ['stuck/breaker', HUNG],
    agents: ['1'],
  },
  {
    ...ralph,
    scenario: 'completes',
    code: 0,
    end: ['completed/verified', ''],
    agents: ['1 the first half', '2 the second half'],
  },
  {
    ...ralph,
    scenario: 'tests',
    code: 1,
    end: ['stuck/stagnation', '3 iterations in a row only ran tests'],
    agents: ['1 the first half', '2 the first half', '3 the first half'],
  },
  {
    ...ralph,
    scenario: 'denied',
    code: 2,
    end: ['aborted/needs-human', 'npm install'],
    agents: ['1 the first half'],
  },
]

describe('a complete run of each preset, with its own messages and files', () => {
  it.each(rows)('$preset $scenario: $end.0', { timeout: patience(120_000) }, async (row) => {
    const { preset, scenario, flags = [], end } = row
    const made = runProject(row.files)
    const args = ['run', '--plain', '--preset', preset, '--max-iterations', '6', ...flags]
    const ran = await made.run([...args, '--', ...agentOf(preset, scenario)], row.env)
    expect(ran.code, ran.stdout + ran.stderr).toBe(row.code)
    expect(order(made)).toEqual(row.agents)
    const last = made.events().findLast(({ type }) => type === 'run.ended')
    expect(last?.type === 'run.ended' && `${last.outcome}/${last.ending}`).toBe(end[0])
    expect(last?.type === 'run.ended' && last.reason).toContain(end[1])
    for (const text of row.says ?? []) expect(ran.stdout).toContain(text)
    for (const [at] of row.agents.entries()) expect(prompted(made, at + 1)).toContain('Make the tests pass.')
    expectGolden(`preset-runs/${preset}-${scenario}.txt`, written(made, row.folder))
  })
})
