import { delimiter, dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { reviewCheck } from '../../src/evidence/checks/review.ts'
import { project } from '../evidence/git-project.ts'
import { contextOf } from '../evidence/red-proof/proving.ts'
import { patience } from '../timing.ts'
import type { Turn } from './model/turn.ts'
import { openRig } from './rig.ts'

const answer = (...answers: readonly string[]): string =>
  JSON.stringify({ requirements: answers.map((each, i) => ({ text: `Part ${i + 1}`, answer: each, file: 'lid.js' })) })

/** Whatever the model tries, the project stays as it is. */
const WRITES: Turn = { tools: [{ shell: 'echo gone > lid.js' }] }

const ROWS: readonly (readonly [string, readonly Turn[], string, RegExp])[] = [
  ['approves', [{ text: answer('met', 'met') }], 'yes', /^The review approved: 2 of 2 requirements met\.$/],
  ['finds a gap', [{ text: answer('met', 'not met') }], 'no', /^1 of 2 requirements not met: lid\.js: Part 2\.$/],
  ['talks', [{ text: 'Looks good to me!' }], 'unknown', /does not have the form/],
  ['tries to write', [WRITES, { text: answer('met') }], 'yes', /1 of 1/],
]

describe.each(['claude', 'codex', 'gemini'])('the reviewer %s', { timeout: patience(180_000) }, (agent) => {
  it.for(ROWS)('that %s', async ([, turns, expected, detail], { skip }) => {
    const { missing, path = '' } = agentProgram(agent)
    skip(missing !== undefined, missing)
    const rig = await openRig(agent, turns, 'Open the lid.')
    onTestFinished(() => rig.close())
    const one = project({ 'lid.js': 'shut\n' })
    one.write({ 'lid.js': 'open\n' })
    const env = { ...rig.env, PATH: `${dirname(path)}${delimiter}${rig.env.PATH}` }
    const [found] = await reviewCheck({ command: agent, task: 'Open the lid.', env }).collect(contextOf(one.workspace))
    expect(found).toMatchObject({ answer: expected, detail: expect.stringMatching(detail) })
    expect(found?.spent?.tokens).toBeGreaterThan(0)
    expect(rig.model.requests.at(-1)?.raw).toContain('Open the lid.')
    expect(one.workspace.read('lid.js')).toBe('open\n')
  })
})
