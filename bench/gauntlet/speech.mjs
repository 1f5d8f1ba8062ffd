// The agent's output: plain text, or the events of the claude program with a final message.
import { writeSync } from 'node:fs'

/** Waits for a full pipe, because large output must arrive completely and in order. */
function print(bytes) {
  const data = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)
  for (let at = 0; at < data.length; ) {
    try {
      at += writeSync(1, data, at)
    } catch (error) {
      if (error.code === 'EPIPE') return
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

export const SPEECHES = {
  text: (said) => ({
    say: (text) => print(keep(said, `${text}\n`)),
    raw: (bytes) => print(keep(said, bytes)),
    spend: () => {},
    close: () => {},
  }),
  /** The stream of events. */
  claude: (said) => events(said, (event) => print(`${JSON.stringify(event)}\n`)),
  /** The single document of `--output-format json`. */
  'claude-json': (said) => events(said, (event) => event.type === 'result' && print(`${JSON.stringify(event)}\n`)),
}

function keep(said, bytes) {
  said.push(Buffer.from(bytes))
  return bytes
}

function events(said, emit) {
  const message = []
  let cost = 0.001
  const session = '00000000-0000-4000-8000-000000000000'
  emit({ type: 'system', subtype: 'init', session_id: session, tools: [], model: 'scripted' })
  return {
    say: (text) => message.push(keep(said, text)),
    raw: (bytes) => print(keep(said, bytes)),
    spend: (usd) => {
      cost = usd
    },
    close(code) {
      const text = message.join('\n')
      const usage = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
      emit({
        type: 'assistant',
        session_id: session,
        message: { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'text', text }], usage },
      })
      emit({
        type: 'result',
        subtype: code === 0 ? 'success' : 'error_during_execution',
        is_error: code !== 0,
        duration_ms: 1,
        num_turns: 1,
        total_cost_usd: cost,
        session_id: session,
        usage,
        result: text,
      })
    },
  }
}
