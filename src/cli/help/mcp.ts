import type { Page } from './page.ts'

export const page: Page = {
  usage: ['mcp [options]'],
  about:
    'An MCP server on stdin and stdout with two tools: exit_signal (the agent says whether it is done) and gate_status (what is missing). Inside exitgate run a signal goes to the loop; else it is kept for the next stop that a hook sees.',
  rows: [
    ['--dir DIR', 'the project (default: this folder)'],
    ['--state-dir DIR', 'where journals live'],
    [
      '--run R, --iteration N, --nonce X, --inbox FILE',
      'for agents that do not pass their environment on (else EXITGATE_RUN and so on)',
    ],
  ],
  examples: ['claude mcp add gate -- exitgate mcp'],
}
