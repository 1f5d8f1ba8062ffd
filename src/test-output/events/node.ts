import type { EventReader, TestCase, TestState } from '../../../packages/test-output/src/types.ts'
import { fields as asFields, countIn, text } from '../json/fields.ts'

/** Events of node:test as custom reporters pass them on: `{"type":"test:pass","data":{...}}`. Suites are not tests. */
export const nodeEvents: EventReader = {
  hint: /"type": ?"test:(?:pass|fail|summary|start|plan)"/,
  read: (events) => {
    const tests: TestCase[] = []
    const groups: string[] = []
    let ended: boolean | undefined
    let diagnosed = false
    for (const { fields } of events) {
      const data = asFields(fields.data)
      const nesting = countIn(data.nesting)
      const name = text(data.name) ?? 'test'
      if (fields.type === 'test:start') groups.splice(nesting, groups.length, name)
      else if (fields.type === 'test:summary' && data.file === undefined) ended = data.success === true
      else if (fields.type === 'test:diagnostic' && nesting === 0)
        diagnosed ||= /^tests \d+$/.test(text(data.message) ?? '')
      if (fields.type !== 'test:pass' && fields.type !== 'test:fail') continue
      if (asFields(data.details).type === 'suite' && fields.type === 'test:pass') continue
      const aside =
        data.skip !== undefined && data.skip !== false ? true : data.todo !== undefined && data.todo !== false
      const state: TestState = aside ? 'skipped' : fields.type === 'test:pass' ? 'passed' : 'failed'
      const file = text(data.file)
      tests.push({ name: [...groups.slice(0, nesting), name].join(' > '), state, ...(file !== undefined && { file }) })
    }
    const of = (state: TestState) => tests.filter((test) => test.state === state).length
    const [first, last] = [events[0], events[events.length - 1]]
    if (first === undefined || last === undefined) return []
    return [
      {
        framework: 'node:test',
        from: first.at,
        to: last.at,
        passed: of('passed'),
        failed: of('failed'),
        skipped: of('skipped'),
        tests,
        ...(ended === false && { broken: 'The runner reports that the run failed (node:test).' }),
        ...(ended === undefined && !diagnosed && { unproven: 'The end of the run is missing (node:test).' }),
      },
    ]
  },
}
