import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../source-tree.ts'

const SESSION = '5e551011-0000-4000-8000-000000000001'

/** What each agent prints around its message. */
const PRINTED: Readonly<Record<string, (text: string) => readonly object[] | string>> = {
  claude(text) {
    const result = {
      result: text,
      session_id: SESSION,
      total_cost_usd: 0.02,
      usage: { input_tokens: 900, output_tokens: 80 },
    }
    return [
      { type: 'system', subtype: 'init', session_id: SESSION },
      { type: 'assistant', session_id: SESSION, message: { id: 'm1', content: [{ type: 'text', text }] } },
      { type: 'result', subtype: 'success', is_error: false, duration_ms: 5, ...result },
    ]
  },
  codex: (text) => [
    { type: 'thread.started', thread_id: SESSION },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'i1', type: 'agent_message', text } },
    { type: 'turn.completed', usage: { input_tokens: 900, cached_input_tokens: 0, output_tokens: 80 } },
  ],
  gemini: (text) => [
    { type: 'init', session_id: SESSION, model: 'm' },
    { type: 'message', role: 'assistant', content: text, delta: true },
    { type: 'result', status: 'success', stats: { total_tokens: 980, duration_ms: 5 } },
  ],
  opencode: (text) => [
    { type: 'step_start', sessionID: SESSION, part: { type: 'step-start' } },
    { type: 'text', sessionID: SESSION, part: { id: 'p1', messageID: 'm1', type: 'text', text } },
    {
      type: 'step_finish',
      sessionID: SESSION,
      part: { type: 'step-finish', messageID: 'm1', reason: 'stop', cost: 0.02, tokens: { input: 900, output: 80 } },
    },
  ],
  pi(text) {
    const message = {
      role: 'assistant',
      content: [{ type: 'text', text }],
      stopReason: 'stop',
      usage: { input: 900, output: 80, totalTokens: 980, cost: { total: 0.02 } },
    }
    return [
      { type: 'session', version: 3, id: SESSION },
      { type: 'agent_start' },
      { type: 'message_end', message },
      { type: 'agent_end', messages: [message] },
    ]
  },
  'my-agent': (text) => text,
  /** An update over the Agent Client Protocol. */
  acp(text) {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }
    return [{ jsonrpc: '2.0', method: 'session/update', params: { sessionId: SESSION, update } }]
  },
}

/** A shell starts much faster than Node. Both steps of the sample agent are in files, with what each agent prints. */
const scriptOf = (name: string, steps: string): string => `#!/bin/sh
set -e
work() {
  step=4
  [ -e "$HOME/.begun" ] || step=1
  : > "$HOME/.begun"
  cat '${steps}'/$step.js > src/duration.js
  if [ $step = 1 ]; then
    sed -E '/hours|refuses|format/s/\\[ \\]/[x]/' PLAN.md > "$HOME/.plan"
    cat "$HOME/.plan" > PLAN.md
  fi
  cat '${steps}'/$step."$1"
}
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\\n' "$id" "$1"; }
case " $* " in
*' --acp '*)
  while read -r line; do
    id=\${line#*'"id":'}
    id=\${id%%[,\\}]*}
    case $line in
    *'"method":"initialize"'*) answer '"result":{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*) answer '"result":{"sessionId":"${SESSION}"}' ;;
    *'"method":"session/prompt"'*)
      work acp
      answer '"result":{"stopReason":"end_turn"}'
      ;;
    *'"id":'*) answer '"error":{"code":-32601,"message":"not known"}' ;;
    esac
  done
  ;;
*)
  [ -t 0 ] || cat > /dev/null
  work ${name}
  ;;
esac
`

/** Works until the file `go` exists, so that commands can reach its run in the meantime. */
const WAITING = `#!/bin/sh
until [ -e "$HOME/go" ]; do sleep 0.1; done
printf 'One step further.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest\\n'
`

const REVIEWER = `#!/bin/sh
cat > /dev/null
echo '{"verdict":"APPROVE","blocking_issues":[],"notes":"It does what the plan says."}'
`

/**
 * Node, but the tests of the sample project run in one process instead of two, with the same runner and reporters. A page runs them
 * several times for each claim. With more test files, `node --test` runs as it is.
 */
const NODE = `#!/bin/sh
if [ "$1" = --test ] && [ "$(echo test/* src/*test* *test* packages*)" = 'test/duration.test.js src/*test* test packages*' ]; then
  shift
  case " $*" in
    *' '[!-]* | *' -'[!-]* | *' --'[!t]*) set -- --test "$@" ;;
    *) set -- "$@" test/duration.test.js ;;
  esac
fi
exec '${process.execPath}' "$@"
`

/**
 * Programs for the path of the docs. The agents take the first and the last step of the sample agent: one rejected claim, then done.
 * `folder` gets what the programs need.
 */
export function writePrograms(bin: string, folder: string): void {
  const project = join(folder, 'project')
  mkdirSync(bin, { recursive: true })
  for (const name of ['PLAN.md', 'src', 'test'])
    cpSync(join(root, 'sample', name), join(project, name), { recursive: true })
  for (const step of ['1', '4']) {
    const text = execFileSync(process.execPath, [join(root, 'sample/agent.js')], {
      cwd: project,
      env: { EXITGATE_ITERATION: step },
      encoding: 'utf8',
    })
    cpSync(join(project, 'src/duration.js'), join(folder, `${step}.js`))
    for (const [name, print] of Object.entries(PRINTED)) {
      const printed = print(text.trim())
      const lines = typeof printed === 'string' ? [printed] : printed.map((each) => JSON.stringify(each))
      writeFileSync(join(folder, `${step}.${name}`), lines.map((line) => `${line}\n`).join(''))
    }
  }
  const put = (name: string, script: string): void => writeFileSync(join(bin, name), script, { mode: 0o755 })
  for (const name of Object.keys(PRINTED)) if (name !== 'acp') put(name, scriptOf(name, folder))
  put('node', NODE)
  put('reviewer', REVIEWER)
  put('waiting-agent', WAITING)
}
