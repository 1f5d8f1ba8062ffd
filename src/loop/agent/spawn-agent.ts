import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { killTreeNow } from '../../system/kill-tree.ts'
import { outerMarks } from '../../system/process-tag.ts'
import { MARKER, type Started } from '../../system/processes.ts'
import { begin, ended } from '../../system/running-commands.ts'
import { whyNot } from '../../system/spawn-error.ts'
import type { AgentCall, AgentMark } from './call.ts'
import { markOf } from './leftovers.ts'
import type { Gone } from './until-ended.ts'

export interface RunningAgent {
  readonly child: ChildProcess
  readonly leader: Started
  readonly gone: Promise<Gone>
  /** Its streams have come to their end too. */
  readonly closed: Promise<unknown>
}

/** Whoever talks with the agent while it runs has its input to himself. */
export type Talk = (child: ChildProcess) => void

/**
 * Starts the agent in a process group of its own, so that a Ctrl+C in the terminal reaches us and not it. Its number is
 * handed over before anything else happens, to be written down; an agent that could not be written down must not run.
 */
export async function spawnAgent(
  call: AgentCall,
  onStart: (mark: AgentMark) => void,
  talk?: Talk,
): Promise<RunningAgent | { readonly problem: string }> {
  const id = randomBytes(8).toString('hex')
  let begun: ReturnType<typeof begin<ChildProcess>>
  try {
    begun = begin(id, () => launch(call, id, talk))
  } catch (error) {
    return { problem: whyNot(call.cwd, call.argv, error as Error) }
  }
  const { child, command: leader } = begun
  if (child.pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve))
    ended(leader)
    return { problem: whyNot(call.cwd, call.argv, error) }
  }
  try {
    onStart(markOf(leader))
  } catch (error) {
    killTreeNow(leader)
    ended(leader)
    throw error
  }
  child.on('error', () => {})
  // An agent that does not read its prompt is within its rights.
  child.stdin?.on('error', () => {})
  if (talk === undefined) child.stdin?.end(call.stdin)
  else talk(child)
  const gone = new Promise<Gone>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  const closed = new Promise((resolve) => child.once('close', resolve))
  return { child, leader, gone, closed }
}

function launch(call: AgentCall, id: string, talk: Talk | undefined): ChildProcess {
  const [file = '', ...args] = call.argv
  if (file === '') throw new Error('the command is empty')
  const outer = outerMarks()
  return spawn(file, args, {
    cwd: call.cwd,
    // A run within a run: the outer one must still recognise what the inner one started.
    env: { ...call.env, [MARKER]: outer === undefined ? id : `${outer}.${id}` },
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [call.stdin === undefined && talk === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
}
