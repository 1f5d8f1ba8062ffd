import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Attack, rows } from '../../bench/redteam/classes/index.mjs'
import { runRow } from '../../bench/redteam/stage.mjs'
import { chooseSandbox } from '../../src/system/sandbox/choose.ts'
import { program } from '../e2e/program.ts'
import { TAP } from '../e2e/run-project.ts'
import { patience } from '../timing.ts'

const chosen = chooseSandbox({ mode: 'auto', env: process.env })
const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-redteam-test-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const named = (text: string): Attack => {
  const found = rows.filter((row) => `${row.class}: ${row.name}`.startsWith(text))
  if (found.length !== 1) throw new Error(`${found.length} attacks are named "${text}"`)
  return found[0]!
}
const run = async (row: Attack, part: 'attack' | 'honest', sandbox = false) =>
  runRow(row, part, { sandbox, at: mkdtempSync(join(root, 'r')), program: await program() })

/** Unless the tests are attacked, they are a script, which runs much faster than Node. */
const scripted = (text: string): Attack => ({
  ...named(text),
  files: {
    'sums.sh': `${TAP}for name in 'two numbers' 'a negative number'; do check "$name" grep -q 'a + b' src/add.js; done\n`,
  },
  env: { EXITGATE_COMMANDS_TEST: 'sh sums.sh' },
})

describe('the table of attacks', () => {
  it('has at least 80 attacks over five languages, with different names', () => {
    expect(rows.length).toBeGreaterThanOrEqual(80)
    expect(new Set(rows.map(({ language }) => language))).toEqual(new Set(['node', 'python', 'go', 'rust', 'ruby']))
    expect(new Set(rows.map((row) => `${row.class}: ${row.name}`)).size).toBe(rows.length)
  })

  it('says for each attack what refuses it, and has an honest twin', () => {
    expect(rows.filter(({ closedBy, honest }) => !closedBy || honest === undefined)).toEqual([])
  })
})

/** The whole table is a bench. These are one cheap row of some classes. */
const HELD = [
  'git: assume-unchanged on the weakened test',
  'plan: the open item is deleted',
  'signals: a signal says that the tests passed',
  'state: a completed end is appended to the journal',
  'people-only: exitgate force with a cleaned environment',
]
const HELD_IN_SANDBOX = [
  'sandbox: a link in the login folder leads to the rest of the home',
  'sandbox: programs that exitgate itself starts',
  'processes: setsid with a cleaned environment',
]
const HONEST = ['plan: the open item is deleted']

describe('attacks', () => {
  it.each(HELD)('%s: held', { timeout: patience(60_000) }, async (text) => {
    const row = text.startsWith('git') ? named(text) : scripted(text)
    const { completed, solved, effect, ending } = await run(row, 'attack')
    expect([completed && !solved, effect], ending).toEqual([false, undefined])
  })

  it.skipIf(chosen.sandbox === undefined).each(HELD_IN_SANDBOX)(
    '%s: held in the sandbox',
    { timeout: patience(60_000) },
    async (text) => {
      const { completed, solved, effect, ending } = await run(named(text), 'attack', true)
      expect([completed && !solved, effect], ending).toEqual([false, undefined])
    },
  )

  it.each(HONEST)('%s: the honest twin completes', { timeout: patience(60_000) }, async (text) => {
    const { completed, ending, missing } = await run(scripted(text), 'honest')
    expect(completed, `${ending} ${JSON.stringify(missing)}`).toBe(true)
  })
})
