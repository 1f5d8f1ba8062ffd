import type { AgentProcess } from '../../core/run.ts'
import { ended as settled } from '../../system/running-commands.ts'
import { within } from '../../system/timeout.ts'
import type { AgentCall, AgentHooks, AgentRun } from './call.ts'
import { Family } from './family.ts'
import { Listener } from './listener.ts'
import { spawnAgent, type Talk } from './spawn-agent.ts'
import { type Gone, untilEnded } from './until-ended.ts'

/** Whoever the agent left behind may take so long to finish its last words. */
const LAST_WORDS_MS = 500

/** How one start of the agent went, apart from its words. */
interface Course extends Partial<Gone> {
  readonly ended: AgentProcess['ended']
  readonly problem?: string
  readonly leftBehind: number
}

/**
 * Runs the agent once. When the returned promise is settled nothing of it is left: what stayed in its group, what left it,
 * and what only carries its id is ended. Whatever the agent does, this gives a result; only the hooks can make it throw.
 */
export async function runAgent(
  call: AgentCall,
  hooks: AgentHooks,
  signal: AbortSignal,
  talk?: Talk,
): Promise<AgentRun> {
  const started = performance.now()
  const listener = new Listener(call, hooks)
  const course = await courseOf(call, hooks, signal, listener, talk)
  const { transcript, ...heard } = await listener.end()
  const { tokens, usd } = transcript.usage
  const problem = course.problem ?? problemOf(course, call)
  const process: AgentProcess = {
    code: course.code ?? null,
    ...(course.signal && { signal: course.signal }),
    ended: course.ended,
    ...(problem !== undefined && { problem }),
    ms: Math.round(performance.now() - started),
    format: transcript.format,
    bytes: transcript.bytes,
    ...heard,
    ...(transcript.session !== undefined && { session: transcript.session }),
    usage: { ...(tokens !== undefined && { tokens }), ...(usd !== undefined && { usd }) },
    errors: transcript.errors,
    finished: course.ended === 'exit' && course.code != null && transcript.finished,
    leftBehind: course.leftBehind,
  }
  return { process, transcript }
}

async function courseOf(
  call: AgentCall,
  hooks: AgentHooks,
  signal: AbortSignal,
  listener: Listener,
  talk: Talk | undefined,
): Promise<Course> {
  if (signal.aborted) return { ended: 'aborted', problem: 'it was given up before it started', leftBehind: 0 }
  const agent = await spawnAgent(call, hooks.onStart, talk)
  if ('problem' in agent) return { ended: 'not-started', problem: agent.problem, leftBehind: 0 }
  const family = new Family(agent.leader)
  try {
    const streams = listener.listen(agent)
    const how = await untilEnded(agent.gone, family, streams, call, signal)
    await within(LAST_WORDS_MS, agent.closed)
    const left = await family.endRest()
    await streams.runDry(agent.closed)
    // Whoever had to be told to end had no occasion to leave others behind.
    return { ...how, leftBehind: how.ended === 'exit' ? left : 0 }
  } finally {
    family.stop()
    settled(agent.leader)
    for (const stream of [agent.child.stdin, agent.child.stdout, agent.child.stderr]) stream?.destroy()
  }
}

function problemOf(course: Course, call: AgentCall): string | undefined {
  switch (course.ended) {
    case 'deadline':
      return `it did not end within ${inWords(call.deadlineMs)} and was ended`
    case 'silence':
      return `it printed nothing for ${inWords(call.silenceMs)} and was ended`
    case 'aborted':
      return 'it was interrupted'
    default:
      if (course.signal) return `it was killed by ${course.signal}`
      return course.code === 0 ? undefined : `it exited with code ${course.code}`
  }
}

function inWords(ms = 0): string {
  return ms < 120_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 6_000) / 10} minutes`
}
