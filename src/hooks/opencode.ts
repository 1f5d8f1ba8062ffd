import { join } from 'node:path'
import { blockOrMessage } from './claude-like.ts'
import { type Fields, known, textIn } from './fields.ts'
import type { HookClient, Stop } from './hook-client.ts'
import type { Call, Installation } from './install/installation.ts'

/** opencode: our plugin asks when a text is complete (`text`; the turn may continue) and when the session is idle (`idle`). */
export const opencode: HookClient = {
  name: 'opencode',
  cap: () => undefined,
  forgives: true,
  seconds: 600,
  read: (payload) => {
    const event = textIn(payload, 'event')
    if (event !== 'text' && event !== 'idle') return undefined
    return { ...pluginStop(payload), ...(event === 'text' ? { maybeMore: true as const } : {}) }
  },
  answer: blockOrMessage,
  installation,
}

/** A stop as our own plugins for opencode and pi send it. */
export const pluginStop = (payload: Fields): Stop => ({
  of: 'turn',
  session: textIn(payload, 'session') ?? '',
  prompt: textIn(payload, 'prompt') ?? '',
  part: '',
  folders: known(textIn(payload, 'cwd')),
  message: textIn(payload, 'message') ?? '',
  pending: [],
})

async function installation(): Promise<Installation> {
  const { ownProgram } = await import('./install/own-file.ts')
  return ownProgram({
    client: 'opencode',
    file: ({ scope, dir, home, env }) =>
      scope === 'project'
        ? join(dir, '.opencode', 'plugin', 'exitgate.js')
        : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'plugin', 'exitgate.js'),
    text: pluginText,
    notes: [
      'opencode reads this file when it starts. In `opencode run`, only a stop that claims completion can be refused.',
    ],
  })
}

/**
 * opencode has no hook that can refuse a stop. A text that claims completion is checked when it is complete, and even \`opencode run\`
 * waits for that. Any other stop is checked when the session is idle, which is too late in \`opencode run\`.
 */
const pluginText = (call: Call): string => `import { spawn } from 'node:child_process'

const argv = ${JSON.stringify(call.argv)}
const milliseconds = ${call.seconds * 1000}

function ask(question) {
  return new Promise((answered) => {
    const child = spawn(argv[0], argv.slice(1), { stdio: ['pipe', 'pipe', 'ignore'], timeout: milliseconds })
    let said = ''
    child.on('error', () => answered({}))
    child.stdout.on('data', (chunk) => (said += chunk))
    child.on('close', () => {
      try {
        answered(JSON.parse(said) ?? {})
      } catch {
        answered({})
      }
    })
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(question))
  })
}

// A plugin of the user and one of the project run in the same process. Only one of them asks about a message.
const { judged, asked } = (globalThis[Symbol.for('exitgate')] ??= { judged: new Map(), asked: new Map() })

export const Exitgate = async ({ client, directory }) => {
  const prompts = new Map()
  // The plan agent changes nothing, and waits for the user.
  const agents = new Map()
  const tell = async (message) => {
    if (message) await client.tui?.showToast?.({ body: { message, variant: 'info' } }).catch(() => {})
  }
  const send = (id, text, noReply) =>
    client.session.prompt({ path: { id }, body: { noReply, parts: [{ type: 'text', text }] } })
  const parent = async (id) => (await client.session.get({ path: { id } }).catch(() => ({}))).data?.parentID
  return {
    'chat.message': async ({ sessionID, messageID, agent }) => {
      if (messageID) prompts.set(sessionID, messageID)
      agents.set(sessionID, agent)
    },
    'experimental.text.complete': async ({ sessionID, messageID, partID }, { text }) => {
      if (agents.get(sessionID) === 'plan' || (await parent(sessionID))) return
      const key = [messageID, partID, text].join()
      if (asked.get(sessionID) === key) return
      asked.set(sessionID, key)
      judged.set(sessionID, messageID)
      const said = await ask({ event: 'text', session: sessionID, prompt: prompts.get(sessionID), cwd: directory, message: text })
      if (said.decision === 'block') await send(sessionID, said.reason, true)
      else judged.delete(sessionID)
      await tell(said.systemMessage)
    },
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return
      const id = event.properties.sessionID
      if (agents.get(id) === 'plan' || (await parent(id))) return
      const messages = (await client.session.messages({ path: { id } })).data ?? []
      const last = messages.findLast(({ info }) => info.role === 'assistant')
      if (last === undefined || last.info.error || judged.get(id) === last.info.id) return
      judged.set(id, last.info.id)
      const message = last.parts.filter((part) => part.type === 'text').map((part) => part.text).join('\\n')
      const said = await ask({ event: 'idle', session: id, prompt: prompts.get(id), cwd: directory, message })
      await tell(said.systemMessage)
      if (said.decision === 'block') await send(id, said.reason, false)
    },
  }
}
`
