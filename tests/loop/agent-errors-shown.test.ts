import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FailureCause } from '../../src/core/failure-cause.ts'
import type { EventInput, JournalEvent } from '../../src/core/journal/events.ts'
import { openJournal } from '../../src/journal/log.ts'
import { stateDirFor } from '../../src/journal/place.ts'
import { alertFor, alertJson } from '../../src/loop/notify/alert.ts'
import { runLoop } from '../../src/loop/run-loop.ts'
import { banner } from '../../src/reports/live/banner.ts'
import { project } from '../cli/run-cli.ts'
import { type Act, fakeWorld } from './fake-host.ts'
import { actOf, recordingsOf } from './recorded-errors.ts'

/** Where each cause comes from: an error that the real agent printed, or how its process ended. */
const CAUSES: Readonly<Record<FailureCause, { readonly agent: string; readonly error: string } | Act>> = {
  login: { agent: 'codex', error: '401' },
  payment: { agent: 'claude', error: 'credit' },
  setup: { agent: 'gemini', error: 'wrong flag' },
  model: { agent: 'opencode', error: '404 model' },
  limit: { agent: 'claude', error: '429 with a time' },
  outage: { agent: 'pi', error: '529' },
  refusal: { agent: 'claude', error: 'refusal' },
  time: { ended: 'deadline', code: 143, ms: 1_800_000 },
  silence: { agent: 'codex', error: 'hang' },
  runaway: { ended: 'runaway', code: 143 },
  turns: { code: 1, errors: [{ kind: 'max-turns', message: 'Reached maximum number of turns (2)' }] },
  budget: { code: 1, errors: [{ kind: 'limit', message: 'Reached maximum budget ($0.01)' }] },
  length: { agent: 'claude', error: 'max tokens' },
  cut: { cut: true },
  empty: { agent: 'gemini', error: 'empty answer' },
  request: { agent: 'claude', error: 'too long' },
  crash: { code: 139 },
}
const NOTHING_CHANGES = { tree: 'same', unchanged: true }
const FILE = join(import.meta.dirname, '../golden/agent-errors/shown.txt')

it('panel, status, explain, report and notification name the cause of each failure, and what to do about it', async () => {
  const parts: string[] = []
  for (const [cause, from] of Object.entries(CAUSES)) parts.push(await shown(cause, from))
  const text = parts.join('\n')
  if (process.env.UPDATE_GOLDEN) writeFileSync(FILE, text)
  expect(text).toBe(readFileSync(FILE, 'utf8'))
})

async function shown(cause: string, from: (typeof CAUSES)[FailureCause]): Promise<string> {
  const agent = 'agent' in from ? from.agent : 'claude'
  const act =
    'agent' in from ? await actOf(agent, recordingsOf(agent).cases[from.error]!) : { ...from, ...NOTHING_CHANGES }
  const world = fakeWorld({
    start: Date.UTC(2099, 11, 31, 12),
    config: { run: { agent }, limits: { iterations: 6 } },
    acts: Array(60).fill(act),
  })
  const end = await runLoop(world.engine, world.host, { prompt: 'Repair the kettle.' })
  expect(end.cause).toBe(cause)
  const { run, state, dir } = project()
  const journal = openJournal(stateDirFor(dir, { stateDir: state, env: {}, platform: 'linux', home: dir }).dir)
  for (const event of world.events) journal.append([inputOf(event)], event.at)
  journal.close()
  const alert = alertFor({ type: 'ended', end, at: end.endedAt }, end.run, world.state().config)!
  const { text, advice } = JSON.parse(alertJson(alert, 'kettle')) as { text: string; advice: readonly string[] }
  const [status, explained, reported] = [
    await run(['status']),
    await run(['explain']),
    await run(['report', '--format', 'markdown']),
  ]
  expect([status, explained, reported].map(({ code, stderr }) => [code, stderr])).toEqual(Array(3).fill([0, '']))
  const panel = banner(end, world.state(), { color: false, unicode: true, columns: 100, exitCode: 2 })
  return [
    `== ${cause}: ${end.outcome}/${end.ending}`,
    `-- panel\n${panel}`,
    `-- status\n${status.stdout}`,
    `-- explain\n${explained.stdout}`,
    `-- report\n${reported.stdout.slice(0, reported.stdout.search(/\n<details>|$/))}`,
    `-- notification\n${text}\n${advice.map((step) => `- ${step}`).join('\n')}\n`,
  ].join('\n')
}

/** Without what the journal adds itself. */
function inputOf({ v: _v, seq: _seq, at: _at, prev: _prev, ...input }: JournalEvent): EventInput {
  return input as EventInput
}
