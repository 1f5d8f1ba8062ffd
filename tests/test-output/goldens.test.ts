import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readTestOutput } from '../../packages/test-output/src/index.ts'
import { readAnyOutput, readTestReport } from '../../packages/test-output/src/report.ts'

const folder = fileURLToPath(new URL('../golden/test-output/', import.meta.url))
const inputs = readdirSync(folder).filter((name) => /\.\w+$/.test(name) && !name.endsWith('.expect.json'))
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8')
const expected = (name: string): Record<string, unknown> | null =>
  JSON.parse(textOf(name.replace(/\.\w+$/, '.expect.json'))) as Record<string, unknown> | null
/** In given evidence, the fallback reader counts too. */
const read = async (name: string, text = textOf(name)) => {
  if (name.startsWith('words-')) return readTestOutput(text)
  return name.endsWith('.txt') ? readAnyOutput(text) : readTestReport(name, text)
}

/**
 * Pairs of a printed output or report and its expected result. scripts/make-test-goldens.mjs makes them by running the runners on
 * small projects with known results. The older ones were written by hand.
 */
describe('a golden', () => {
  it.each(inputs)('%s', async (name) => {
    const run = await read(name)
    const wanted = expected(name)
    if (wanted === null) expect(run).toBeUndefined()
    else if (run === undefined) expect(wanted.ok).toBeNull()
    else expect(run).toMatchObject(wanted)
  })

  it.each(inputs.filter((name) => expected(name)?.ok === true))(
    '%s passes because everything adds up',
    async (name) => {
      const run = (await read(name))!
      expect(run.ok).toBe(true)
      expect(run.passed).toBeGreaterThan(0)
      expect(run.failed).toBe(0)
      expect(run.passed + run.skipped + (run.aside ?? 0)).toBe(run.total)
      expect(run.problems).toBeUndefined()
      expect(run.suitesFailed).toBeUndefined()
    },
  )

  const printed = inputs.filter((name) => name.endsWith('.txt'))
  // Fewer than four lines do not reveal a timestamp.
  const longer = printed.filter((name) => textOf(name).trim().split('\n').length > 3)
  it.each(longer)('%s reads the same in colour, from Windows and in a CI log', async (name) => {
    const text = textOf(name)
    const run = await read(name)
    const coloured = text.replace(/^(.*\S)/gm, '\u001B[32m$1\u001B[39m')
    const stamped = text.replace(/^/gm, '2026-01-01T00:00:00.0000000Z ')
    expect(await read(name, coloured)).toEqual(run)
    expect(await read(name, text.replaceAll('\n', '\r\n'))).toEqual(run)
    expect(await read(name, [...text].join('\u0000'))).toEqual(run)
    expect(await read(name, stamped)).toEqual(run)
  })

  // A run that shows its failure only in its last lines may pass without them, but not one that did not end.
  const unfinished = printed.filter((name) => (expected(name)?.ok ?? null) === null && !expected(name)?.passed)
  it.each(unfinished)('%s never passes without its end', async (name) => {
    const lines = textOf(name).split('\n')
    for (let end = lines.length; end > 0; end -= Math.ceil(lines.length / 15))
      expect(readTestOutput(lines.slice(0, end).join('\n'))?.ok ?? null, `${end} lines`).not.toBe(true)
  })
})
