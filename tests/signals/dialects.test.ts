import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dialects } from '../../src/core/signals/dialects/index.ts'
import { readWithPatterns } from '../../src/core/signals/user-patterns.ts'
import type { ReadOptions, Signals, Transcript } from '../../src/core/types.ts'
import { transcript } from './transcript.ts'

/** A case is <name>.txt, the exact final message of the agent, and <name>.json, the expected signals. */
interface Case {
  readonly about: string
  readonly options?: ReadOptions
  readonly transcript?: Partial<Transcript>
  readonly expect: unknown
}

const folder = join(import.meta.dirname, '../golden/dialects')
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => file.slice(0, -'.txt'.length))

function heard({ claim, claims, vetoes, phase, task, blocker, said, blocks, phrases, source, problems }: Signals) {
  const all = { claim, claims, vetoes, phase, task, blocker, said, blocks, phrases, source, problems }
  return JSON.parse(JSON.stringify(all)) as unknown
}

it.each(names)('%s', (name) => {
  const file = join(folder, `${name}.json`)
  const golden = JSON.parse(readFileSync(file, 'utf8')) as Case
  const final = readFileSync(join(folder, `${name}.txt`), 'utf8')
  const actual = heard(readWithPatterns(transcript(final, golden.transcript), golden.options))
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, `${JSON.stringify({ ...golden, expect: actual }, null, 2)}\n`)
  else expect(actual).toEqual(golden.expect)
})

it('every dialect has a case with a claim and one without', () => {
  const expected = names.map(
    (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as { expect: Signals },
  )
  for (const { name } of dialects) {
    expect(expected.filter(({ expect: signals }) => signals.claims[name] === true).length, name).toBeGreaterThan(0)
    expect(
      expected.filter(({ expect: signals }) => signals.claims[name] !== true && signals.blocks.includes(name)).length,
      name,
    ).toBeGreaterThan(0)
  }
})
