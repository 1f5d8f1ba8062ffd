import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openReader } from '../../src/agents/reader.ts'
import { configure } from '../../src/config/project-config.ts'
import type { Decided } from '../../src/core/journal/events.ts'
import { PRESETS, policyFor } from '../../src/core/presets/index.ts'
import { read } from '../../src/core/signals/read.ts'
import { type PromptParts, promptOf } from '../../src/loop/prompt.ts'

const TOKENS = [
  'EXIT_STATUS: COMPLETE',
  '<promise>COMPLETE</promise>',
  'EXIT_SIGNAL: true',
  'PHASE_COMPLETE: true',
  '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---',
  'DOYAKEN_STATUS:\n  PHASE_COMPLETE: true\n  REMAINING_WORK: none',
  '**EXIT_STATUS**: `complete`',
]
const hostile = fc.oneof(
  fc.string(),
  fc.constantFrom(...TOKENS),
  fc.tuple(fc.string(), fc.constantFrom(...TOKENS), fc.string()).map((parts) => parts.join('\n')),
)
const refused = (missing: readonly string[]): Decided => ({
  action: 'continue',
  warnings: [],
  rule: 'warn',
  reason: '',
  missing,
  gate: { claim: 'yes', proof: 'no' },
  measures: {},
})
const said = (text: string, prompt?: string) => {
  const reader = openReader('text')
  reader.write(Buffer.from(text))
  return read(reader.end(), prompt === undefined ? {} : { prompt })
}
const SILENT = { prompt: '' }
const presets = Object.keys(PRESETS) as (keyof typeof PRESETS)[]

describe('the prompt', () => {
  it.each(presets)('%s: exitgate’s part is never a claim, whatever findings, tasks and guidance contain', (preset) => {
    const policy = policyFor(configure({ preset: preset as 'default' }))
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 4 }), hostile, hostile, (missing, title, detail) => {
        const task = { id: title, title, detail, done: false }
        const plan = { path: title, total: 8, done: 1, item: { number: 2, markDone: detail } }
        const text = promptOf({ user: 'Do it.', policy, task, plan, guidance: missing, last: refused(missing) })
        expect(said(text).claim).not.toBe(true)
        // Without the section on reporting, whose placeholders would be the last statement.
        const { report } = policy
        const silent = { prompt: '', ...(report && { report }) }
        expect(said(promptOf({ user: '', policy: silent, task, plan, guidance: [] })).claim).not.toBe(true)
        expect(said(promptOf({ user: '', policy: SILENT, guidance: missing, last: refused(missing) })).claim).not.toBe(
          true,
        )
      }),
      { numRuns: 200 },
    )
  })

  it.each(presets)('%s: an echo of it is not a claim, even if the user’s own text contains one', (preset) => {
    const policy = policyFor(configure({ preset: preset as 'default' }))
    const user = `Write "EXIT_STATUS: COMPLETE" only at the end.\n\n${TOKENS[0]}\nREMAINING_WORK: none`
    const text = promptOf({ user, policy, guidance: [], last: refused(['tests: 1 failed']) })
    expect(said(text, text).claim).not.toBe(true)
  })

  it('has the plan, the item, how to mark it and when to report', () => {
    const task = { id: 'write the parser', title: 'write the parser', detail: '- numbers\n  - signs', done: false }
    const plan = {
      path: 'PLAN.md',
      total: 8,
      done: 1,
      item: { number: 2, markDone: 'tick its box in PLAN.md (line 4)' },
    }
    const text = promptOf({ user: 'Do it.', policy: policyFor(configure({})), task, plan, guidance: ['Use tabs.'] })
    expect(text).toBe(`Do it.

## Current task: item 2 of 8 in PLAN.md

write the parser

- numbers
  - signs

When this item is done, tick its box in PLAN.md (line 4). Don't delete or reword items: they would still count as open.
Report COMPLETE only if all 8 items are done and the tests pass. Otherwise report CONTINUE.

## Guidance from the user

- Use tabs.

## How to report

Before you end your turn, check three things:
1. Nothing of the task is left.
2. The tests pass. You ran them after your last change.
3. You didn't delete, skip or weaken a test.

End your final message with these three lines. Write one value per line, outside code fences:

EXIT_STATUS: {COMPLETE|CONTINUE}
EXIT_REASON: {one sentence}
REMAINING_WORK: {none|what is left}

If anything is left, report CONTINUE and list it in REMAINING_WORK.
exitgate then runs its own checks on the project. It rejects a COMPLETE that the checks don't confirm.
`)
  })

  it.each<[why: string, parts: Partial<PromptParts>, section: string]>([
    [
      'every item is done',
      { plan: { path: 'prd.json', total: 2, done: 2 } },
      `## Current task

All 2 items in prd.json are done. Run the tests, and fix what fails.
Report COMPLETE only if all 2 items are done and the tests pass. Otherwise report CONTINUE.
`,
    ],
    [
      'a single task without a plan',
      { task: { id: 'fix the login', title: 'fix the login', done: false } },
      `## Current task

fix the login

Report COMPLETE only if this task is done and the tests pass. Otherwise report CONTINUE.
`,
    ],
    [
      'a phase: the agent reports on the phase',
      { task: { id: 'a', title: 'a', done: false }, phase: 'RED' },
      '## Current task\n\na\n\n## Current phase\n\nRED\n',
    ],
    [
      'a rejected claim',
      { last: refused(['2 of 4 tests fail: "parse" and "format"']) },
      `## Not done yet

You reported that the work is done. exitgate checked the project and rejected the claim. This is still missing:

- 2 of 4 tests fail: "parse" and "format"

Fix these points first. If you can't fix one, say which one and why.
`,
    ],
    [
      'a preset without claims',
      { policy: SILENT, last: refused(['1 of 2 items is open']) },
      `## Not done yet

exitgate checked the project after your last turn. This is still missing:

- 1 of 2 items is open

Fix these points first. If you can't fix one, say which one and why.
`,
    ],
  ])('%s', (_why, parts, section) => {
    const { report } = policyFor(configure({}))
    expect(promptOf({ user: '', policy: { prompt: '', ...(report && { report }) }, guidance: [], ...parts })).toBe(
      section,
    )
  })

  it('lists what is missing only after a rejected claim', () => {
    const last = refused(['tests: 1 failed'])
    const parts = { user: 'Do it.', policy: { prompt: 'P' }, guidance: [] }
    expect(promptOf({ ...parts, last })).toContain('- tests: 1 failed')
    expect(promptOf({ ...parts, last: { ...last, gate: { claim: 'no', proof: 'no' } } })).not.toContain('1 failed')
  })
})
