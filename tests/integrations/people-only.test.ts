import { describe, expect, it } from 'vitest'
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

describe('an agent whose host asks a hook, without a loop', () => {
  it.each(rows)('%s cannot open its own gate: exitgate %s', async (_mark, _line, mark, args) => {
    const { run } = project({ 'ev.json': RED, 'out.txt': 'Still at it.\n' })
    await run(['check', '--transcript', 'out.txt', '--evidence', 'ev.json', '--task', 'T-1'])
    const { dir } = (await run(['state', '--json'])).json as { dir: string }
    const before = readJournal(dir).state
    const ran = await run(args, mark)
    expect(ran.code).toBe(64)
    expect(ran.stderr).toMatch(/is for people/)
    const { ended, counters, skipped } = readJournal(dir).state
    expect({ ended, counters, skipped }).toEqual({
      ended: before.ended,
      counters: before.counters,
      skipped: before.skipped,
    })
  })
})
