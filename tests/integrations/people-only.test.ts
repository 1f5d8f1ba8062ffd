import { describe, expect, it } from 'vitest'
import { goalOf, readGoal } from '../../src/hooks/goal.ts'
import { readJournal } from '../../src/journal/read.ts'
import { project, RED } from '../cli/run-cli.ts'

const MARKS = [{ CLAUDECODE: '1' }, { CODEX_SANDBOX: 'seatbelt' }, { GEMINI_CLI: '1' }, { EXITGATE_RUN: 'r-1' }]
const WAYS = [
  ['force', '--reason', 'done'],
  ['skip', '--reason', 'done'],
  ['reset-breaker', '--reason', 'done'],
  ['check', '--evidence', 'ev.json', '--force-complete', '--reason', 'done'],
  ['check', '--evidence', 'ev.json', '--preset', 'prp', '--skip-phase', '--reason', 'done'],
]
const rows = MARKS.flatMap((mark) => WAYS.map((args) => [JSON.stringify(mark), args.join(' '), mark, args] as const))

describe('an agent with a stop hook, without a loop', () => {
  it.each(rows)('%s cannot let itself out: exitgate %s', async (_mark, _line, mark, args) => {
    const { run } = project({ 'ev.json': RED, 'out.txt': 'Still at it.\n' })
    await run(['check', '--transcript', 'out.txt', '--evidence', 'ev.json', '--task', 'T-1'])
    const { dir } = (await run(['state', '--json'])).json as { dir: string }
    const before = readJournal(dir).state
    const ran = await run(args, mark)
    expect(ran.code).toBe(64)
    expect(ran.stderr).toMatch(/^error: Refused: an agent (?:or a check )?can't use exitgate /)
    const { ended, counters, skipped } = readJournal(dir).state
    expect({ ended, counters, skipped }).toEqual({
      ended: before.ended,
      counters: before.counters,
      skipped: before.skipped,
    })
  })
})

describe('a person', () => {
  it('forcing the run of a goal also ends the goal', async () => {
    const { run } = project({ 'package.json': '{"scripts":{"test":"node --test"}}' })
    expect((await run(['goal', 'start', 'the kettle boils'])).code).toBe(0)
    const { dir } = (await run(['state', '--json'])).json as { dir: string }
    expect(goalOf(dir)?.text).toBe('the kettle boils')
    expect((await run(['force', '--reason', 'boiled by hand'])).code).toBe(0)
    expect(goalOf(dir)).toBeUndefined()
    expect(readGoal(dir)?.ended).toMatchObject({
      outcome: 'completed/forced',
      reason: 'forced by the user: boiled by hand',
    })
  })
})
