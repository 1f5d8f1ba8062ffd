import type { EventReader, Part, TestCase, TestState } from '../../../packages/test-output/src/types.ts'
import { countIn, text } from '../json/fields.ts'
import { withoutEmpty } from '../text/go.ts'

const STATES: Record<string, TestState> = { ok: 'passed', failed: 'failed', timeout: 'failed', ignored: 'skipped' }

/** libtest's `--format json`, and nextest's message format, which follows it. One suite per test binary. */
export const libtest: EventReader = {
  hint: /"type": ?"suite".*"event": ?"|"event": ?"(?:started|ok|failed)".*"type": ?"(?:test|suite)"/,
  read: (events) => {
    const parts: Part[] = []
    let tests: TestCase[] = []
    let open: number | undefined
    for (const { at, fields } of events) {
      const event = text(fields.event) ?? ''
      if (fields.type === 'test') {
        const state = STATES[event]
        if (state !== undefined) tests.push({ name: text(fields.name) ?? 'test', state })
      } else if (fields.type === 'suite' && event === 'started') open = at
      else if (fields.type === 'suite' && (event === 'ok' || event === 'failed')) {
        parts.push({
          framework: 'cargo test',
          from: open ?? at,
          to: at,
          passed: countIn(fields.passed) + countIn(fields.measured),
          failed: countIn(fields.failed),
          skipped: countIn(fields.ignored),
          tests,
          ...(event === 'failed' && countIn(fields.failed) === 0 && { broken: 'A test binary failed (cargo test).' }),
        })
        tests = []
        open = undefined
      }
    }
    if (open !== undefined) {
      const unproven = 'A test binary gave no result (cargo test).'
      parts.push({ framework: 'cargo test', from: open, to: open, passed: 0, failed: 0, skipped: 0, unproven })
    }
    return withoutEmpty(parts)
  },
}
