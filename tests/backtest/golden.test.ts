import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { backtest } from '../../src/backtest/backtest.ts'
import { pastEvents } from '../../src/cli/history/journals.ts'
import { replay } from '../../src/core/journal/replay.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { scenarios } from '../scenarios/index.ts'
import { play } from '../scenarios/play.ts'

const golden = join(import.meta.dirname, '../golden/journals')
const folders = readdirSync(golden)
  .filter((name) => /^v\d+$/.test(name))
  .flatMap((version) => readdirSync(join(golden, version)).map((name) => join(version, name)))

/** What later versions count differently, and the first iteration of a backtest that shows it. The endings are the same. */
const since: Readonly<Record<string, { readonly fields: readonly string[]; readonly first?: number }>> = {
  // RED now counts only tests that are new since the start of the run. An iteration without any is not progress.
  'v1/phases': { fields: ['after.breaker.noProgress'], first: 2 },
  // A failed iteration that changed files is now progress, so the task didn't fail either.
  'v1/torn': { fields: ['after.streaks.sameTask.n'] },
  // The same, and a success now resets every count of the breaker.
  'v1/verified': { fields: ['after.streaks.sameTask.n', 'after.breaker.noProgress'] },
}

/** Sentences for users, which later versions word differently. */
const isText = (field: string): boolean => /^(?:reason|warnings|missing)\b/.test(field)

const alike = { name: 'alike', config: <T>(config: T): T => structuredClone(config) }

describe('journals of released versions', () => {
  it.each(folders)('%s is decided the same way again, and a backtest with its own values changes nothing', (folder) => {
    const events = [...pastEvents(join(golden, folder))]
    const again = [...replay(events, policyFor)]
    expect(again).toHaveLength(events.filter(({ type }) => type === 'iteration.decided').length)
    expect(again.filter(({ same }) => !same)).toEqual([])
    const fields = again.flatMap(({ difference }) => difference?.field ?? [])
    expect(fields.filter((field) => !isText(field))).toEqual(since[folder]?.fields ?? [])
    const runs = [...backtest(events, alike, policyFor)]
    expect(runs.map(({ effect, firstDifference }) => [effect, firstDifference?.iteration])).toEqual(
      events.filter(({ type }) => type === 'run.started').map(() => ['same', since[folder]?.first]),
    )
  })
})

describe('the journal of every scenario', () => {
  it.each(Object.entries(scenarios))('%s', (_, rows) => {
    for (const row of rows) {
      const { events } = play(row)
      expect([...replay(events, policyFor)].map(({ difference }) => difference).filter(Boolean)).toEqual([])
      for (const run of backtest(events, alike, policyFor)) {
        expect([row.id, run.effect, run.saved.iterations]).toEqual([row.id, 'same', 0])
        expect(run.firstDifference).toBeUndefined()
      }
    }
  })
})
