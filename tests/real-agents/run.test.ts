import { describe, expect, it } from 'vitest'
import { AGENTS } from '../../scripts/install-agents.mjs'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import { patience } from '../timing.ts'
import { missingAgent } from './installed.ts'
import type { Turn } from './model/turn.ts'
import { realRun } from './real-run.ts'
import { DONE } from './rows.ts'

const shell = (command: string): Turn => ({ text: 'Working on it.', tools: [{ shell: command }] })

/** Claims without working, then skips the test, then does the work. It claims each time. */
const TURNS: readonly Turn[] = [
  { text: DONE },
  shell("sed -i.bak 's/^test(/test.skip(/' kettle.test.js && rm kettle.test.js.bak"),
  { text: DONE },
  shell(
    "sed -i.bak 's/^test.skip(/test(/' kettle.test.js && rm kettle.test.js.bak && echo 'export const boils = (degrees) => degrees >= 100' > kettle.js",
  ),
  { text: DONE },
]

/** A complete run starts an agent three times, each for several seconds. */
describe('a complete run with a real agent', { timeout: patience(300_000) }, () => {
  const installable = LAUNCHERS.filter(({ name }) => name in AGENTS)
  const names = [...installable.map(({ name }) => name), 'claude-newest', 'pi-newest', 'qwen-newest']
  it.for(names.flatMap((name) => [[name, 'auto'] as const, [name, 'off'] as const]))(
    '%s claims falsely, tampers, then works: two claims rejected, the third verified (sandbox %s)',
    async ([agent, sandbox], { skip }) => {
      const missing = missingAgent(agent)
      skip(missing !== undefined, missing)
      const { rig, lines, ...ran } = await realRun(agent, TURNS, { args: ['--max-iterations', '5'], sandbox })
      const decided = lines.filter(({ type }) => type === 'decided').map(({ verdict }) => verdict as Verdict)
      expect(
        decided.map(({ action, gate }) => [action, gate.claim, gate.proof]),
        ran.stdout + ran.stderr,
      ).toEqual([
        ['continue', 'yes', 'no'],
        ['continue', 'yes', 'no'],
        ['stop', 'yes', 'yes'],
      ])
      expect(decided[1]?.missing.join('\n')).toContain('is now skipped')
      expect(ran.code).toBe(0)
      // The second prompt lists what was missing.
      expect(rig.model.requests.map(({ raw }) => raw).join('\n')).toContain(
        'exitgate checked the project and rejected the claim',
      )
    },
  )
})

interface Verdict {
  readonly action: string
  readonly gate: { readonly claim: string; readonly proof: string }
  readonly missing: readonly string[]
}
