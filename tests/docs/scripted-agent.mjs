// Replaces the agents in the docs. It works on the sample project and claims too early the first time. The first argument is the name
// of the agent whose output format it prints.
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isatty } from 'node:tty'

const [name, ...args] = process.argv.slice(2)
let calls = 0
const counter = `${process.env.HOME}/.scripted-agent`

/** The first and the last step of the sample agent: one rejected claim, then done. */
async function work() {
  const begun = existsSync(counter)
  writeFileSync(counter, 'begun')
  process.env.EXITGATE_ITERATION = begun ? '4' : '1'
  // The sample agent prints its message. It runs in this process, because starting another Node would take most of the time.
  const { log } = console
  let text = ''
  console.log = (line) => {
    text = line
  }
  // A query, because a module is evaluated once for each address.
  await import(`../../sample/agent.js?call=${++calls}`)
  console.log = log
  return text.trim()
}

const line = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)
const session = '5e551011-0000-4000-8000-000000000001'

const print = {
  claude(text) {
    line({ type: 'system', subtype: 'init', session_id: session })
    line({ type: 'assistant', session_id: session, message: { id: 'm1', content: [{ type: 'text', text }] } })
    const result = {
      result: text,
      session_id: session,
      total_cost_usd: 0.02,
      usage: { input_tokens: 900, output_tokens: 80 },
    }
    line({ type: 'result', subtype: 'success', is_error: false, duration_ms: 5, ...result })
  },
  codex(text) {
    line({ type: 'thread.started', thread_id: session })
    line({ type: 'turn.started' })
    line({ type: 'item.completed', item: { id: 'i1', type: 'agent_message', text } })
    line({ type: 'turn.completed', usage: { input_tokens: 900, cached_input_tokens: 0, output_tokens: 80 } })
  },
  gemini(text) {
    line({ type: 'init', session_id: session, model: 'm' })
    line({ type: 'message', role: 'assistant', content: text, delta: true })
    line({ type: 'result', status: 'success', stats: { total_tokens: 980, duration_ms: 5 } })
  },
  opencode(text) {
    line({ type: 'step_start', sessionID: session, part: { type: 'step-start' } })
    line({ type: 'text', sessionID: session, part: { id: 'p1', messageID: 'm1', type: 'text', text } })
    line({
      type: 'step_finish',
      sessionID: session,
      part: { type: 'step-finish', messageID: 'm1', reason: 'stop', cost: 0.02, tokens: { input: 900, output: 80 } },
    })
  },
  pi(text) {
    line({ type: 'session', version: 3, id: session })
    line({ type: 'agent_start' })
    const message = {
      role: 'assistant',
      content: [{ type: 'text', text }],
      stopReason: 'stop',
      usage: { input: 900, output: 80, totalTokens: 980, cost: { total: 0.02 } },
    }
    line({ type: 'message_end', message })
    line({ type: 'agent_end', messages: [message] })
  },
  'my-agent': (text) => process.stdout.write(`${text}\n`),
}

/** The same over the Agent Client Protocol. */
function converse() {
  const answer = (id, result) => line({ jsonrpc: '2.0', id, result })
  createInterface({ input: process.stdin }).on('line', async (text) => {
    const { id, method } = JSON.parse(text)
    if (method === 'initialize') answer(id, { protocolVersion: 1, agentCapabilities: {} })
    else if (method === 'session/new') answer(id, { sessionId: session })
    else if (method === 'session/prompt') {
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: await work() } }
      line({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: session, update } })
      answer(id, { stopReason: 'end_turn' })
    } else if (id !== undefined) line({ jsonrpc: '2.0', id, error: { code: -32601, message: 'not known' } })
  })
}

/** Works until the file `go` exists, so that commands can reach its run in the meantime. */
function wait() {
  const go = `${process.env.HOME}/go`
  const watcher = watch(process.env.HOME, look)
  look()
  function look() {
    if (!existsSync(go)) return
    watcher.close()
    console.log('One step further.\n\nEXIT_STATUS: CONTINUE\nREMAINING_WORK: the rest')
  }
}

if (args.includes('--acp')) converse()
else if (name === 'waiting-agent') wait()
else if (name === 'reviewer') {
  readFileSync(0)
  line({ verdict: 'APPROVE', blocking_issues: [], notes: 'It does what the plan says.' })
} else {
  // Using `process.stdin` would make reading fail until the prompt is there.
  if (!isatty(0)) readFileSync(0)
  print[name](await work())
}
