import type { EventReader, Part, TestCase, TestState } from '../../../packages/test-output/src/types.ts'
import { text } from '../json/fields.ts'
import { saysNoNetwork } from '../network.ts'
import { withoutEmpty } from '../text/go.ts'

const BENCH = /^(Benchmark\S*?)(?:-\d+)?\s+\d+\s+\d+(?:\.\d+)? ns\/op/
const STATES: Record<string, TestState> = { pass: 'passed', bench: 'passed', fail: 'failed', skip: 'skipped' }

interface Package {
  readonly from: number
  to: number
  readonly tests: Map<string, TestState | undefined>
  /** Tests that printed that there is no network. */
  readonly noNetwork: Set<string>
  result?: 'pass' | 'fail' | 'skip'
}

function close(name: string, { from, to, tests, noNetwork, result }: Package): Part {
  const failed = result === 'fail'
  // A test that started and did not end was running when its package crashed.
  const list: TestCase[] = [...tests]
    .filter(([, state]) => state !== undefined || failed)
    .map(([test, state]) => ({
      name: `${name} > ${test}`,
      state: state ?? 'failed',
      ...((state ?? 'failed') === 'failed' && noNetwork.has(test) && { network: true as const }),
    }))
  const inState = (state: TestState) => list.filter((test) => test.state === state).length
  const crashed = failed && inState('failed') === 0
  if (crashed) list.push({ name, state: 'failed' })
  return {
    framework: 'go test',
    from,
    to,
    passed: inState('passed'),
    failed: inState('failed'),
    skipped: inState('skipped'),
    tests: list,
    ...(crashed && { suitesFailed: 1, broken: `${name} failed without a failed test (go test).` }),
    ...(result === undefined && { unproven: `The result of ${name} is missing (go test).` }),
  }
}

/** `go test -json`. */
export const goEvents: EventReader = {
  hint: /"Action": ?"(?:pass|fail|run|output|skip|start|build-fail|build-output)"/,
  read: (events) => {
    const packages = new Map<string, Package>()
    for (const { at, fields } of events) {
      const [action, name, test] = [text(fields.Action), text(fields.Package), text(fields.Test)]
      if (action === undefined || name === undefined) continue
      const found = packages.get(name)
      // The same package twice means two runs (-count, or two commands): the later result must not hide the first.
      const known: Package = found ?? { from: at, to: at, tests: new Map(), noNetwork: new Set() }
      if (found === undefined) packages.set(name, known)
      known.to = at
      const printed = action === 'output' ? (text(fields.Output) ?? '') : ''
      if (test !== undefined && saysNoNetwork(printed)) known.noNetwork.add(test)
      const bench = BENCH.exec(printed)
      if (bench !== null) known.tests.set(bench[1]!, 'passed')
      else if (test === undefined) {
        if (action === 'pass' || action === 'skip') known.result ??= action
        else if (action === 'fail') known.result = 'fail'
      } else if (action === 'run') {
        if (known.tests.get(test) !== 'failed') known.tests.set(test, undefined)
      } else if (STATES[action] !== undefined && known.tests.get(test) !== 'failed')
        known.tests.set(test, STATES[action])
    }
    const parts = [...packages].map(([name, found]) => close(name, found))
    return joinOverlapping(withoutEmpty(parts))
  },
}

/** Packages run in parallel and their events mix. One inside another is not its output, so they become one part. */
function joinOverlapping(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = []
  for (const part of [...parts].sort((a, b) => a.from - b.from)) {
    const before = joined.at(-1)
    if (before === undefined || before.to < part.from) joined.push(part)
    else joined[joined.length - 1] = join(before, part)
  }
  return joined
}

function join(a: Part, b: Part): Part {
  const suitesFailed = (a.suitesFailed ?? 0) + (b.suitesFailed ?? 0)
  const [broken, unproven] = [a.broken ?? b.broken, a.unproven ?? b.unproven]
  return {
    framework: a.framework,
    from: a.from,
    to: Math.max(a.to, b.to),
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    tests: [...(a.tests ?? []), ...(b.tests ?? [])],
    ...(suitesFailed > 0 && { suitesFailed }),
    ...(broken !== undefined && { broken }),
    ...(unproven !== undefined && { unproven }),
  }
}

/** Turns the events back into lines, as `go test -v` prints them; leaves any other text as it is. */
export function eventText(output: string): string {
  if (!goEvents.hint.test(output)) return output
  const lines = output.split('\n').map((line) => {
    if (!line.startsWith('{')) return `${line}\n`
    try {
      return text((JSON.parse(line) as { Output?: unknown }).Output) ?? ''
    } catch {
      return `${line}\n`
    }
  })
  return lines.join('')
}
