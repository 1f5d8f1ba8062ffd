import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { endSentence } from '../../src/core/policy/ending-text.ts'
import type { AgentProcess, RunEnd } from '../../src/core/run.ts'
import type { AgentRun } from '../../src/loop/agent/call.ts'
import { Listener } from '../../src/loop/agent/listener.ts'
import { runLoop } from '../../src/loop/run-loop.ts'
import { nextSteps } from '../../src/reports/live/next-steps.ts'
import { type Act, fakeWorld } from './fake-host.ts'

/** What a real agent printed, and how it ended. */
export interface Recording {
  readonly code: number | null
  readonly signal?: string
  readonly ended: AgentProcess['ended']
  readonly stdout: string
  readonly stderr: string
  /** It changed files before the error. */
  readonly works?: true
}

export interface Recordings {
  readonly agent: string
  readonly version: string
  readonly cases: Readonly<Record<string, Recording>>
}

export const recordingsFile = (agent: string): string =>
  join(import.meta.dirname, '../golden/agent-errors', `${agent}.json`)

export const recordingsOf = (agent: string): Recordings =>
  JSON.parse(readFileSync(recordingsFile(agent), 'utf8')) as Recordings

/** Half a day before the time that limits end in the recordings. */
const HALF_A_DAY_BEFORE = Date.UTC(2099, 11, 31, 12)
const STARTS = 400
const ITERATIONS = 6

/** A start of the agent that prints this. */
export async function actOf(agent: string, recording: Recording): Promise<Act> {
  const run = await playedBack(agent, recording)
  return recording.works === true ? { run } : { run, tree: 'same', unchanged: true }
}

/** How a run ends whose agent always prints this. */
export async function endWith(agent: string, recording: Recording) {
  const act = await actOf(agent, recording)
  const world = fakeWorld({
    start: HALF_A_DAY_BEFORE,
    config: { run: { agent, silenceMinutes: 30 }, limits: { iterations: ITERATIONS } },
    acts: Array(STARTS).fill(act),
  })
  const end = await runLoop(world.engine, world.host, { prompt: 'Repair the kettle.' })
  return { end, starts: world.started(), waited: waitedMinutes(world), state: world.state() }
}

/** One paragraph for people: the ending, the reason and the advice. */
export function told(name: string, { end, starts, waited, state }: Awaited<ReturnType<typeof endWith>>): string {
  const cost = `${starts} ${starts === 1 ? 'start' : 'starts'}${waited === 0 ? '' : `, ${waited} minutes of waiting`}`
  return [
    `${name}: ${end.outcome}/${end.ending}${end.cause === undefined ? '' : ` (${end.cause})`} after ${cost}`,
    `  ${endSentence(end)}`,
    ...nextSteps(end, state).map((step) => `  - ${step}`),
    ...(state.counters.breaker.state === 'closed' ? [] : [`  breaker: ${state.counters.breaker.state}`]),
    '',
  ].join('\n')
}

export const summaryOf = ({ outcome, ending, cause }: RunEnd): string => `${outcome}/${ending} ${cause ?? ''}`

/** Reads the output with the listener of a real run. */
async function playedBack(format: string, { stdout, stderr, ...exit }: Recording): Promise<AgentRun> {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-recorded-'))
  const call = { run: 'r1', iteration: 1, attempt: 1, argv: [], cwd: folder, env: {}, format, folder }
  const listener = new Listener({ ...call, graceMs: 0, keepBytes: 1 << 20 }, { onStart() {}, onText() {} })
  const child = { stdout: new PassThrough(), stderr: new PassThrough() }
  listener.listen(child as unknown as Parameters<Listener['listen']>[0])
  const read = [child.stdout, child.stderr].map((stream) => new Promise((resolve) => stream.once('end', resolve)))
  child.stderr.end(stderr)
  child.stdout.end(stdout)
  await Promise.all(read)
  const { lacks } = listener
  const { transcript, ...heard } = await listener.end()
  rmSync(folder, { recursive: true, force: true })
  const { code, signal, ended } = exit
  const { tokens, usd } = transcript.usage
  const process: AgentProcess = {
    ...{ code, ended, ms: 5_000, format: transcript.format, bytes: transcript.bytes },
    ...(signal === undefined ? {} : { signal }),
    ...(transcript.session === undefined ? {} : { session: transcript.session }),
    ...(lacks === undefined ? {} : { lacks }),
    ...heard,
    usage: { ...(tokens === undefined ? {} : { tokens }), ...(usd === undefined ? {} : { usd }) },
    errors: transcript.errors,
    finished: ended === 'exit' && code !== null && transcript.finished,
    leftBehind: 0,
  }
  return { process, transcript }
}

function waitedMinutes({ events }: ReturnType<typeof fakeWorld>): number {
  const waits = events.map((event) => (event.type === 'iteration.limited' ? event.until - event.at : 0))
  return Math.round(waits.reduce((sum, ms) => sum + ms, 0) / 60_000)
}
