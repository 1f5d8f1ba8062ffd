import type { EventReader, TestCase, TestState } from '../../../packages/test-output/src/types.ts'
import { fields as asFields, text } from '../json/fields.ts'

interface Begun {
  readonly name: string
  readonly file: string | undefined
}

/** `dart test --reporter json` and `flutter test --machine`. Loading a file is a hidden test that can fail too. */
export const dart: EventReader = {
  hint: /"type": ?"testDone"|"protocolVersion"/,
  read: (events) => {
    const suites = new Map<unknown, string>()
    const begun = new Map<unknown, Begun>()
    const tests: TestCase[] = []
    let unloaded = 0
    let done: boolean | undefined
    for (const { fields } of events) {
      const { type } = fields
      if (type === 'suite') suites.set(asFields(fields.suite).id, text(asFields(fields.suite).path) ?? '')
      else if (type === 'testStart') {
        const { id, name, suiteID } = asFields(fields.test)
        begun.set(id, { name: text(name) ?? 'test', file: suites.get(suiteID) || undefined })
      } else if (type === 'testDone') {
        const test = begun.get(fields.testID)
        begun.delete(fields.testID)
        const good = fields.result === 'success'
        if (fields.hidden === true && good) continue
        const state: TestState = !good ? 'failed' : fields.skipped === true ? 'skipped' : 'passed'
        const name = test?.name ?? 'test'
        if (!good && name.startsWith('loading ')) unloaded += 1
        tests.push({ name, state, ...(test?.file !== undefined && { file: test.file }) })
      } else if (type === 'done') done = fields.success === true
    }
    const inState = (state: TestState) => tests.filter((test) => test.state === state).length
    const [first, last] = [events[0], events[events.length - 1]]
    if (first === undefined || last === undefined) return []
    return [
      {
        framework: 'dart',
        from: first.at,
        to: last.at,
        passed: inState('passed'),
        failed: inState('failed'),
        skipped: inState('skipped'),
        suitesFailed: unloaded,
        tests,
        ...(done === false && { broken: 'The runner reports that the run failed (dart).' }),
        ...(done === undefined && { unproven: 'The end of the run is missing (dart).' }),
      },
    ]
  },
}
