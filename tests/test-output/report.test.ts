import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTestOutput } from '../../packages/test-output/src/index.ts'
import { readAnyOutput, readTestReport } from '../../packages/test-output/src/report.ts'
import { dotnet, json, junit, type Reported, tap } from './report-rows.ts'

const groups: readonly (readonly [string, readonly Reported[]])[] = [
  ['JUnit XML', junit],
  ['.NET', dotnet],
  ['JSON', json],
  ['TAP', tap],
]

describe.each(groups)('%s', (_name, rows) => {
  it.each(rows)('%s', async (_row, text, read) => {
    const run = await readTestReport('report', text)
    expect(run && [run.passed, run.failed, run.skipped, run.ok]).toEqual(read)
  })

  it.each(rows)('%s, when it is printed', async (_row, text, read) => {
    const run = await readAnyOutput(
      `\n> a@1.0.0 test\n> a\n\n${text.startsWith('<') ? `<?xml version="1.0"?>\n${text}` : text}`,
    )
    if (read !== undefined && !text.startsWith('<!')) expect(run?.ok).toBe(read[3])
    else expect(run?.ok ?? null).not.toBe(true)
  })
})

describe('names', () => {
  const named = async (text: string) =>
    (await readTestReport('a.xml', text))?.tests?.map(({ name, file }) => [name, file])

  it('start with their class, once', async () => {
    const cases = '<testcase classname="A" name="one"/><testcase classname="a b" name="a b c"/><testcase name="x"/>'
    expect(await named(`<testsuite file="a.py">${cases}</testsuite>`)).toEqual([
      ['A > one', 'a.py'],
      ['a b c', 'a.py'],
      ['x', 'a.py'],
    ])
  })

  it('of node:test have their groups', async () => {
    const inner =
      '<testsuite name="outer"><testsuite name="inner"><testcase classname="test" name="a"/></testsuite></testsuite>'
    expect(await named(`<testsuites>${inner}</testsuites>`)).toEqual([['outer > inner > a', undefined]])
  })
})

describe('laws', () => {
  const state = fc.constantFrom('passed', 'failed', 'skipped')
  const child = { passed: '', failed: '<failure/>', skipped: '<skipped/>' }

  it('a report passes only with a passed test, without a failed one, and if its totals agree', async () => {
    const head = fc.option(fc.record({ tests: fc.nat(6), failures: fc.nat(2) }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(fc.array(state, { maxLength: 5 }), head, async (states, claimed) => {
        const cases = states.map((one, at) => `<testcase name="${at}">${child[one as keyof typeof child]}</testcase>`)
        const attributes = claimed === undefined ? '' : ` tests="${claimed.tests}" failures="${claimed.failures}"`
        const run = await readTestReport('a.xml', `<testsuite${attributes}>${cases.join('')}</testsuite>`)
        const failed = states.includes('failed') || (claimed?.failures ?? 0) > 0
        const complete = (claimed?.tests ?? 0) <= states.length
        expect(run?.ok).toBe(failed ? false : states.includes('passed') && complete ? true : null)
      }),
    )
  })

  it('TAP reads the same with the parser of node-tap and with ours', async () => {
    const point = fc.record({ ok: fc.boolean(), directive: fc.constantFrom('', ' # SKIP no', ' # TODO later') })
    const plan = fc.constantFrom('first', 'last')
    await fc.assert(
      fc.asyncProperty(
        fc.array(point, { minLength: 1, maxLength: 6 }),
        plan,
        fc.nat(2),
        async (points, place, more) => {
          const lines = points.map(({ ok, directive }, at) => `${ok ? 'ok' : 'not ok'} ${at + 1} - t${at}${directive}`)
          const planned = `1..${points.length + more}`
          const text = ['TAP version 13', ...(place === 'first' ? [planned, ...lines] : [...lines, planned]), ''].join(
            '\n',
          )
          const parsed = await readTestReport('a.tap', text)
          const own = readTestOutput(text)
          const seen = (run: typeof own) => run && [run.passed, run.failed, run.skipped, run.ok, run.tests]
          expect(seen(parsed)).toEqual(seen(own))
        },
      ),
    )
  })

  it('never throws on cut or mixed input', async () => {
    const pieces = groups.flatMap(([, rows]) => rows.map(([, text]) => text))
    const piece = fc
      .tuple(fc.constantFrom(...pieces), fc.nat(200), fc.nat(200))
      .map(([text, from, to]) => text.slice(from, from + to))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 4 }), async (parts) => {
        await expect(readTestReport('a', parts.join('\n'))).resolves.not.toThrow()
        await expect(readAnyOutput(parts.join('\n'))).resolves.not.toThrow()
      }),
      { numRuns: 300 },
    )
  })
})
