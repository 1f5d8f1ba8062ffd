import { join } from 'node:path'
import { blockOrMessage } from './claude-like.ts'
import { textIn } from './fields.ts'
import type { HookClient } from './hook-client.ts'
import type { Call, Installation } from './install/installation.ts'
import { pluginStop } from './opencode.ts'

/** pi: our extension asks at the end of a turn without tool calls, and sends a refusal as the next message. */
export const pi: HookClient = {
  name: 'pi',
  cap: () => undefined,
  forgives: true,
  seconds: 600,
  read: (payload) => {
    if (textIn(payload, 'event') !== 'end') return undefined
    const reason = textIn(payload, 'stopReason') ?? 'stop'
    return { ...pluginStop(payload), ...(reason === 'stop' ? {} : { notAnEnd: `the turn ended with ${reason}` }) }
  },
  answer: blockOrMessage,
  installation,
}

async function installation(): Promise<Installation> {
  const { ownProgram } = await import('./install/own-file.ts')
  return ownProgram({
    client: 'pi',
    file: ({ scope, dir, home }) =>
      scope === 'project'
        ? join(dir, '.pi', 'extensions', 'exitgate.js')
        : join(home, '.pi', 'agent', 'extensions', 'exitgate.js'),
    text: extensionText,
    notes: ['pi reads this file when it starts.'],
  })
}

/** pi exits right after a turn without tool calls, so the handler must wait for the answer. */
const extensionText = (call: Call): string => `import { spawnSync } from 'node:child_process'

const argv = ${JSON.stringify(call.argv)}
const milliseconds = ${call.seconds * 1000}

function ask(question) {
  const ended = spawnSync(argv[0], argv.slice(1), { input: JSON.stringify(question), encoding: 'utf8', timeout: milliseconds })
  try {
    return JSON.parse(ended.stdout) ?? {}
  } catch {
    return {}
  }
}

// An extension of the user and one of the project run in the same process. Only one of them asks about a message.
const shared = (globalThis[Symbol.for('exitgate')] ??= {})

export default function (pi) {
  const session = String(process.pid) + '-' + String(Date.now())
  let prompts = 0
  let ours = false
  pi.on('agent_start', () => {
    if (!ours) prompts += 1
    ours = false
  })
  pi.on('turn_end', (event, context) => {
    if (event.toolResults?.length) return
    const message = (event.message?.content ?? []).filter((part) => part.type === 'text').map((part) => part.text).join('\\n')
    const stopReason = event.message?.stopReason
    const key = [event.message?.timestamp, event.message?.responseId, message].join()
    if (shared.asked === key) return
    shared.asked = key
    const said = ask({ event: 'end', session, prompt: String(prompts), cwd: process.cwd(), message, stopReason })
    if (said.systemMessage) context?.ui?.notify?.(said.systemMessage, 'info')
    if (said.decision !== 'block') return
    ours = true
    pi.sendUserMessage(said.reason, { deliverAs: 'followUp' })
  })
}
`
