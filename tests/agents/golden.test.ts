import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMATS, openReader } from '../../src/agents/reader.ts'
import type { Transcript } from '../../src/core/types.ts'

/**
 * A case is an agent's output, byte for byte (<format>-<name>.jsonl or .txt), and the expected transcript (<format>-<name>.json).
 */
interface Case {
  readonly about: string
  /** The detected format, if it isn't the case's own. */
  readonly auto?: string
  readonly expect: Transcript
}

const folder = join(import.meta.dirname, '../golden/agents')
const cases = readdirSync(folder)
  .filter((file) => !file.endsWith('.json'))
  .map((file) => ({ file, name: file.replace(/\.\w+$/, ''), format: file.slice(0, file.indexOf('-')) }))

function read(file: string, format: string): Transcript {
  const reader = openReader(format)
  reader.write(readFileSync(join(folder, file)))
  return JSON.parse(JSON.stringify(reader.end())) as Transcript
}

it.each(cases)('$name', ({ file, name, format }) => {
  const path = join(folder, `${name}.json`)
  const golden = JSON.parse(readFileSync(path, 'utf8')) as Case
  const actual = read(file, format)
  if (process.env.UPDATE_GOLDEN === '1')
    writeFileSync(path, `${JSON.stringify({ ...golden, expect: actual }, null, 2)}\n`)
  else expect(actual).toEqual(golden.expect)
})

describe('with format detection', () => {
  it.each(cases)('$name', ({ file, name, format }) => {
    const golden = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Case
    const actual = read(file, 'auto')
    expect(actual.format).toBe(golden.auto ?? format)
    if (golden.auto === undefined) expect(actual).toEqual(golden.expect)
  })
})

it('every format has cases', () => {
  const seen = new Set(cases.map(({ format }) => format))
  expect([...seen].sort()).toEqual(FORMATS.filter((format) => format !== 'auto').sort())
})
