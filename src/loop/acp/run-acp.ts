import type { AgentProcess } from '../../core/run.ts'
import type { AgentCall, AgentHooks, AgentRun } from '../agent/call.ts'
import { runAgent } from '../agent/run-agent.ts'
import { type AcpTask, Conversation } from './conversation.ts'

/**
 * Runs an agent once that speaks the Agent Client Protocol. It is a server that would stay for ever, so its turn being over counts
 * as its end: its input is closed, and if that does not make it go, it is ended.
 */
export async function runAcp(
  call: AgentCall,
  task: AcpTask,
  hooks: AgentHooks,
  signal: AbortSignal,
): Promise<AgentRun> {
  const conversation = new Conversation(task, call.cwd)
  const ending = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const endSoon = () => timers.push(setTimeout(() => ending.abort('the turn is over'), call.graceMs))
  const onAbort = () => {
    if (signal.reason === 'now') ending.abort('now')
    else {
      conversation.cancel()
      endSoon()
    }
  }
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) ending.abort(signal.reason)
  conversation.over.then(endSoon)
  try {
    const run = await runAgent({ ...call, format: 'acp' }, hooks, ending.signal, (child) => conversation.begin(child))
    const transcript = { ...run.transcript, denials: [...run.transcript.denials, ...conversation.denials] }
    return { process: processOf(run), transcript }
  } finally {
    signal.removeEventListener('abort', onAbort)
    for (const timer of timers) clearTimeout(timer)
  }

  function processOf({ process, transcript: { finished } }: AgentRun): AgentProcess {
    if (signal.aborted) return { ...process, ended: 'aborted', problem: 'it was interrupted', finished: false }
    return conversation.isOver ? atEndOfTurn(process, finished) : process
  }
}

/** How a server goes that is not needed any more says nothing about its turn. */
function atEndOfTurn({ signal, problem, ...result }: AgentProcess, finished: boolean): AgentProcess {
  if (result.ended !== 'exit' && result.ended !== 'aborted') {
    return { ...result, ...(signal !== undefined && { signal }), ...(problem !== undefined && { problem }) }
  }
  return { ...result, code: 0, ended: 'exit', finished }
}
