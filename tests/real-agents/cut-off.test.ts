import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { ALL_ROWS, missingAgent, SLOW } from './installed.ts'
import type { Turn } from './model/turn.ts'
import { realRun } from './real-run.ts'
import { DONE } from './rows.ts'

/** A project with a test per cup. */
const cups = (n: number) => ({
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'cups.test.js': `import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
for (let n = 1; n <= ${n}; n++) test('cup ' + n, () => assert.ok(existsSync('cup' + n + '.txt')))
`,
  'PROMPT.md': 'Fill all cups.\n',
})
const fill = (cup: number): Turn => ({ text: 'One more.', tools: [{ shell: `echo full > cup${cup}.txt` }] })
const silent: Turn = { silent: true }

interface Row {
  readonly agent: string
  readonly about: string
  readonly turns: readonly Turn[]
  readonly cups: number
  readonly args: readonly string[]
  readonly agentArgs?: readonly string[]
  /** Its limits take a while. */
  readonly slow?: true
  /** Why each iteration failed. */
  readonly causes: readonly (string | undefined)[]
}

/** Every iteration but the last is cut off after some work, which used to end the run. */
const healthy: readonly Row[] = [
  {
    agent: 'claude',
    about: '--max-turns 1, in the same session',
    turns: [fill(1), fill(2), fill(3), fill(4), fill(5), { text: DONE }],
    cups: 5,
    args: ['--continue-session'],
    agentArgs: ['--allowedTools', 'Bash', '--max-turns', '1'],
    causes: [...Array(5).fill('turns'), undefined],
  },
  {
    agent: 'codex',
    about: 'the time limit of an iteration',
    turns: [fill(1), silent, fill(2), silent, fill(3), silent, fill(4), { text: DONE }],
    cups: 4,
    args: ['--iteration-minutes', '0.3'],
    slow: true,
    causes: [...Array(3).fill('time'), undefined],
  },
  {
    agent: 'pi',
    about: 'silence',
    turns: [fill(1), silent, fill(2), silent, fill(3), silent, fill(4), { text: DONE }],
    cups: 4,
    args: ['--silence-minutes', '0.3'],
    slow: true,
    causes: [...Array(3).fill('silence'), undefined],
  },
]

/** Nothing moves, so these must end. */
const dead: readonly Row[] = [
  {
    agent: 'claude',
    about: 'the same refusal',
    turns: [{ text: 'I will not do that.', stop: 'refusal' }],
    cups: 1,
    args: [],
    causes: ['refusal', 'refusal'],
  },
  {
    agent: 'codex',
    about: 'silence without work',
    turns: [silent],
    cups: 1,
    args: ['--silence-minutes', '0.1'],
    slow: true,
    causes: ['silence', 'silence', 'silence'],
  },
  {
    agent: 'pi',
    about: 'answers that are too long',
    turns: [{ text: 'The kettle is repai', stop: 'length' }],
    cups: 1,
    args: [],
    causes: ['length', 'length', 'length'],
  },
]

async function causesOf({ agent, turns, args, agentArgs, cups: n }: Row) {
  const options = { args: [...args, '--max-iterations', '9'], files: cups(n), ...(agentArgs && { agentArgs }) }
  const ran = await realRun(agent, turns, options)
  const decided = ran.lines.filter(({ type }) => type === 'decided')
  const causes = decided.map(({ observation }) => (observation as { failed?: { cause?: string } }).failed?.cause)
  return { ...ran, causes }
}

describe('a run whose iterations fail, with a real agent', { timeout: patience(300_000) }, () => {
  it.for(healthy)('$agent works until it is verified, despite $about', async (row, { skip }) => {
    const missing = missingAgent(row.agent)
    skip(missing !== undefined, missing)
    skip(row.slow === true && !ALL_ROWS, SLOW)
    const { causes, code, stdout, rig } = await causesOf(row)
    expect(causes, stdout).toEqual(row.causes)
    expect(code).toBe(0)
    // With the same session, the last iteration still knows the first one.
    const knows = rig.model.requests.at(-1)?.raw.includes('cup1.txt')
    expect(knows).toBe(row.args.includes('--continue-session'))
  })

  it.for(dead)('$agent is stopped within three iterations: $about', async (row, { skip }) => {
    const missing = missingAgent(row.agent)
    skip(missing !== undefined, missing)
    skip(row.slow === true && !ALL_ROWS, SLOW)
    const { causes, lines, stdout } = await causesOf(row)
    expect(causes, stdout).toEqual(row.causes)
    expect(lines.at(-1)).toMatchObject({ type: 'ended', outcome: 'aborted', cause: row.causes[0] })
  })
})
