import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMATS, openReader } from '../../src/agents/reader.ts'
import type { Transcript } from '../../src/core/types.ts'

/** A case is <format>-<name>.jsonl or .txt, what an agent printed byte for byte, and <format>-<name>.json, what is to be read in it. */
interface Case {
  readonly about: string
  /** The format that is recognised when none is given, where it is not the case's own. */
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

describe('without being told the format', () => {
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
