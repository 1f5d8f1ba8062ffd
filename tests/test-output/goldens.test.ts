import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readTestOutput } from '../../src/evidence/test-output/index.ts'
import { readAnyOutput, readTestReport } from '../../src/evidence/test-output/report.ts'
import { expectGolden, goldenText } from '../evidence/golden-files.ts'

const folder = fileURLToPath(new URL('../golden/test-output/', import.meta.url))
const inputs = readdirSync(folder).filter((name) => /\.\w+$/.test(name) && !name.endsWith('.expect.json'))
const baseOf = (name: string) => name.replace(/\.\w+$/, '')

/** A printed output or a report beside what it says. scripts/make-test-goldens.mjs makes them by running the runners. */
describe.each(inputs)('%s', (name) => {
  const text = goldenText(`test-output/${name}`)
  const printed = name.endsWith('.txt')

  it('reads as expected', async () => {
    const run = printed ? await readAnyOutput(text) : await readTestReport(name, text)
    expectGolden(`test-output/${baseOf(name)}.expect.json`, `${JSON.stringify(run ?? null, null, 2)}\n`)
  })

  it('adds up', async () => {
    const run = printed ? await readAnyOutput(text) : await readTestReport(name, text)
    if (run?.ok !== true) return
    expect(run.passed).toBeGreaterThan(0)
    expect(run.failed).toBe(0)
    expect(run.passed + run.skipped + (run.aside ?? 0)).toBe(run.total)
    expect(run.problems).toBeUndefined()
  })

  it.runIf(printed)('reads alike when it is cut, coloured or written on Windows', async () => {
    const run = await readAnyOutput(text)
    if (run === undefined) return
    const coloured = text.replace(/^(.*\S)/gm, '\u001B[32m$1\u001B[39m')
    expect(await readAnyOutput(coloured)).toEqual(run)
    expect(await readAnyOutput(text.replaceAll('\n', '\r\n'))).toEqual(run)
    // Without its end an output may say less; it must not turn green.
    if (run.ok === true) return
    const lines = text.split('\n')
    for (let end = 0; end <= lines.length; end += Math.ceil(lines.length / 20)) {
      const less = readTestOutput(lines.slice(end).join('\n'))
      if (run.ok === false && end === 0) expect(less?.ok).not.toBe(true)
    }
  })
})
