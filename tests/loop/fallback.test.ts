import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { Loaded } from '../../src/config/load.ts'
import { configure } from '../../src/config/project-config.ts'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { PRESETS } from '../../src/core/presets/index.ts'
import type { RunConfig } from '../../src/core/run-config.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { agentOf, withAgentOf } from '../../src/loop/agent/choose-agent.ts'
import { preflight } from '../../src/loop/preflight/index.ts'
import { runLoop } from '../../src/loop/run-loop.ts'
import { type Act, fakeWorld } from './fake-host.ts'

const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const DONE: Act = {
  says: '---\nEXIT_STATUS: COMPLETE\nREASON: all done\n---\n',
  tests: [3, 0],
}
const error = (kind: 'limit' | 'api' | 'auth', message: string, more: object = {}): Act => ({
  code: 1,
  errors: [{ kind, message, ...more }],
})
const limit = (resetAt?: number): Act =>
  error('limit', 'usage limit reached', { status: 429, ...(resetAt === undefined ? {} : { resetAt }) })
const overload = error('api', 'overloaded', { status: 529 })
const crash: Act = { code: 1, tree: 'same' }

/** Runs a script, and returns which agent worked at each start, and the lines about switches. */
async function played(acts: readonly Act[], run: Partial<RunConfig> = { agent: 'claude', fallbackAgent: 'codex' }) {
  const world = fakeWorld({
    config: { run, breaker: { noProgress: 9, sameError: 9 }, limits: { iterations: 9 } },
    acts,
  })
  const used: string[] = []
  const { agent } = world.host
  const host = {
    ...world.host,
    agent: (...call: Parameters<typeof agent>) => {
      used.push(world.state().fallback === undefined ? 'first' : 'fallback')
      return agent(...call)
    },
  }
  const end = await runLoop(world.engine, host, { prompt: 'Do it.' })
  const said = world.emitted.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  return { used, said, end: `${end.outcome}/${end.ending}`, waits: world.waits, world }
}

describe('the permissions of a fallback', () => {
  const runs: [run: Partial<RunConfig>, isMissing: boolean][] = [
    [{ agent: 'claude', fallbackAgent: 'codex' }, true],
    [{ agent: 'claude', fallbackAgent: 'codex', fallbackArgs: ['--full-auto'] }, false],
    // The same agent gets the arguments of the first.
    [{ agent: 'claude', fallbackAgent: 'claude', fallbackModel: 'sonnet' }, false],
    [{ agent: 'claude', fallbackModel: 'sonnet' }, false],
    [{ agent: 'claude' }, false],
  ]
  it.each(runs)('%j', (run, isMissing) => {
    const config = configure({ run })
    const facts = preflight({
      ...{ stateDir: '/nowhere', state: emptyState(), tests: [], env: {}, platform: 'linux', now: START },
      workspace: openWorkspace(import.meta.dirname),
      loaded: { config, sources: new Map() } as unknown as Loaded,
    }).filter(({ name }) => name === 'fallback')
    expect(facts.map(({ state, text }) => [state, text])).toEqual(
      isMissing ? [['note', 'codex gets no arguments, so it has its default permissions']] : [],
    )
  })
})

describe('the fallback works while the first agent cannot', () => {
  const until = START + 5 * HOUR
  const rows: [name: string, acts: readonly Act[], used: readonly string[], end: string][] = [
    ['a usage limit', [limit(until), DONE], ['first', 'fallback'], 'completed/verified'],
    ['a usage limit beyond --max-wait', [limit(START + 40 * HOUR), DONE], ['first', 'fallback'], 'completed/verified'],
    ['a short limit', [limit(START + 3 * 60_000), DONE], ['first', 'first'], 'completed/verified'],
    [
      'back when the limit is over',
      [limit(until), { ms: 5.5 * HOUR }, DONE],
      ['first', 'fallback', 'first'],
      'completed/verified',
    ],
    [
      'the fallback is limited too: whichever is free first',
      [limit(START + 2 * HOUR), limit(START + 5 * HOUR), DONE],
      ['first', 'fallback', 'first'],
      'completed/verified',
    ],
    [
      'overloaded again and again',
      [overload, overload, overload, overload, DONE],
      ['first', 'first', 'first', 'first', 'fallback'],
      'completed/verified',
    ],
    ['out of credit', [error('limit', 'Credit balance is too low'), DONE], ['first', 'fallback'], 'completed/verified'],
    ['not logged in', [error('auth', 'Not logged in'), DONE], ['first', 'fallback'], 'completed/verified'],
    [
      'the fallback is not logged in either',
      [error('auth', 'Not logged in'), error('auth', 'no key')],
      ['first', 'fallback'],
      'aborted/fatal',
    ],
    ['two failures in a row', [crash, crash, DONE], ['first', 'first', 'fallback'], 'completed/verified'],
  ]
  it.each(rows)('%s', async (_name, acts, used, end) => {
    const run = await played(acts)
    expect([run.used, run.end]).toEqual([used, end])
  })

  it('says so in one line each, and nothing waits', async () => {
    const { said, waits, world } = await played([limit(until), { ms: 5.5 * HOUR }, DONE])
    expect(said).toEqual([
      'Switched to the fallback codex until 2026-01-01 05:00 UTC: usage limit reached. It has its default permissions, because run.fallbackArgs is empty.',
      'Back to claude: it may be available again.',
    ])
    expect(waits).toEqual([])
    expect(world.events.filter(({ type }) => type === 'agent.switched')).toMatchObject([
      { to: 'fallback', why: 'usage limit reached' },
      { to: 'first' },
    ])
  })

  it('does not continue a session of the other agent', async () => {
    const acts = [{ session: 's1' }, limit(until), { session: 's2' }, DONE]
    const { world } = await played(acts, { agent: 'claude', fallbackAgent: 'codex', continueSession: true })
    const sessions = world.events.flatMap((event) =>
      event.type === 'iteration.decided' ? [event.observation.session?.id] : [],
    )
    expect(sessions).toEqual(['s1', 's2', undefined])
  })

  it('without a fallback the run waits, as before', async () => {
    const { used, waits } = await played([limit(until), DONE], { agent: 'claude' })
    expect([used, waits.length]).toEqual([['first', 'first'], 1])
  })
})

describe('which agent it is', () => {
  const base = mkdtempSync(join(tmpdir(), 'exitgate-nights-'))
  afterAll(() => rmSync(base, { recursive: true, force: true }))
  mkdirSync(join(base, 'bin'))
  for (const name of ['claude', 'codex', 'own']) {
    writeFileSync(join(base, 'bin', name), '#!/bin/sh\n')
    chmodSync(join(base, 'bin', name), 0o755)
  }
  const env = { PATH: join(base, 'bin') }
  const choose = (run: Partial<RunConfig>) => agentOf({ config: { ...BASE.run, ...run }, workspace: base, env })

  const rows: [name: string, run: Partial<RunConfig>, shown: readonly string[] | undefined, format?: string][] = [
    ['none', { agent: 'claude' }, undefined],
    [
      'another agent, with its own arguments',
      {
        agent: 'claude',
        agentArgs: ['--permission-mode', 'plan'],
        fallbackAgent: 'codex',
        fallbackArgs: ['--full-auto'],
      },
      ['codex', '--full-auto'],
      'codex',
    ],
    [
      'another agent and its model',
      { agent: 'claude', fallbackAgent: 'codex', fallbackModel: 'small' },
      ['codex', '--model', 'small'],
      'codex',
    ],
    [
      'another model of the same agent',
      { agent: 'claude', agentArgs: ['--model', 'big', '--verbose', '-m', 'x', '--model=y'], fallbackModel: 'small' },
      ['claude', '--verbose', '--model', 'small'],
      'claude',
    ],
    ['an agent after a command of yours', { command: ['own'], fallbackAgent: 'codex' }, ['codex'], 'codex'],
    ['an agent without the MCP tool', { agent: 'claude', mcp: true, fallbackAgent: 'codex' }, ['codex'], 'codex'],
  ]
  it.each(rows)('%s', (_name, run, shown, format) => {
    const { fallback } = choose(run)
    expect([fallback?.shown, fallback?.format]).toEqual([shown, format])
  })

  it.each([
    ['a model of your own command', { command: ['own'], fallbackModel: 'small' }, /--fallback-model needs --agent/],
    ['an unknown agent', { agent: 'claude', fallbackAgent: 'cladue' }, /Unknown agent "cladue"/],
    ['an agent that is not installed', { agent: 'claude', fallbackAgent: 'gemini' }, /"gemini" was not found/],
  ])('refuses %s', (_name, run, why) => {
    expect(() => choose(run)).toThrow(why)
  })

  it('a resumed run keeps its fallback, unless you name another', () => {
    const before = { ...BASE.run, agent: 'claude', fallbackAgent: 'codex', fallbackModel: 'small' }
    const loaded = (run: Partial<RunConfig>, sources: readonly (readonly [string, string])[] = []) => ({
      config: { ...BASE, run: { ...BASE.run, ...run } },
      sources: new Map(sources),
      ...{ warnings: [], preset: PRESETS.default, hash: '' },
    })
    expect(withAgentOf(loaded({}), before).config.run).toMatchObject({ fallbackAgent: 'codex', fallbackModel: 'small' })
    const other = withAgentOf(
      loaded({ fallbackAgent: 'gemini' }, [['run.fallbackAgent', 'flag --fallback-agent']]),
      before,
    )
    expect(other.config.run.fallbackAgent).toBe('gemini')
    expect(other.config.run.fallbackModel).toBeUndefined()
  })
})
