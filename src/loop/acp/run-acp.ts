import type { AcpTask, AgentCall, AgentResult } from '../../core/run.ts'
import type { Transcript } from '../../core/types.ts'
import type { AgentHooks } from '../agent/listener.ts'
import { runAgent } from '../agent/run-agent.ts'
import { Conversation } from './conversation.ts'

/**
 * Runs an agent once that speaks the Agent Client Protocol. It is a server that would stay for ever, so its turn being over counts
 * as its end: its input is closed, and if that does not make it go, it is ended.
 */
export async function runAcp(
  call: AgentCall,
  task: AcpTask,
  hooks: AgentHooks,
  signal: AbortSignal,
): Promise<AgentResult> {
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
  let heard: Transcript | undefined
  const listening: AgentHooks = {
    ...hooks,
    read(transcript) {
      heard = { ...transcript, denials: [...transcript.denials, ...conversation.denials] }
      return hooks.read(heard)
    },
  }
  try {
    const result = await runAgent({ ...call, format: 'acp' }, listening, ending.signal, (child) =>
      conversation.begin(child),
    )
    if (signal.aborted) return { ...result, ended: 'aborted', problem: 'it was interrupted', finished: false }
    return conversation.isOver && heard !== undefined ? atEndOfTurn(result, heard.finished) : result
  } finally {
    signal.removeEventListener('abort', onAbort)
    for (const timer of timers) clearTimeout(timer)
  }
}

/** How a server goes that is not needed any more says nothing about its turn. */
function atEndOfTurn({ signal, problem, ...result }: AgentResult, finished: boolean): AgentResult {
  if (result.ended !== 'exit' && result.ended !== 'aborted') {
    return { ...result, ...(signal !== undefined && { signal }), ...(problem !== undefined && { problem }) }
  }
  return { ...result, code: 0, ended: 'exit', finished }
}
