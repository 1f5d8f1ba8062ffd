import type { ScriptedTool, ToolCall } from './turn.ts'

type Inputs = Readonly<Record<string, (value: string, offered: readonly string[]) => object>>

/** The agents' tools for running a shell command, by name. */
const SHELLS: Inputs = {
  Bash: (command) => ({ command, description: 'scripted' }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  // goose and older versions of Codex
  shell: (command, offered) => ({
    command: offered.some((name) => /^(?:todo|extensionmanager)__/.test(name)) ? command : ['bash', '-lc', command],
  }),
  run_shell_command: (command) => ({ command, description: 'scripted', is_background: false }),
  run_terminal_command: (command) => ({ command, description: 'scripted' }),
  bash: (command) => ({ command, description: 'scripted' }),
  Execute: (command) => ({ command, summary: 'scripted', riskLevelReason: 'scripted', riskLevel: 'low', timeout: 60 }),
}

/** The agents' tools for writing a file. Agents without one use the shell. */
const WRITERS: Readonly<Record<string, (path: string, content: string, offered: readonly string[]) => object>> = {
  // Kimi and Claude Code
  Write: (path, content, offered) => (offered.includes('FetchURL') ? { path, content } : { file_path: path, content }),
  write_file: (file_path, content) => ({ file_path, content }),
  write: (path, content) => ({ path, filePath: path, content }),
  Create: (file_path, content) => ({ file_path, content }),
}

/** Turns a scripted call into a call of a tool that the agent offers. */
export function callFor(tool: ScriptedTool, offered: readonly string[], id: string): ToolCall {
  if ('call' in tool) return { id, ...tool.call }
  if ('mcp' in tool) {
    const { server, tool: name, input } = tool.mcp
    const joint = offered.find((one) => one !== name && one.includes(server) && one.endsWith(name))
    return joint === undefined ? { id, name, namespace: `mcp__${server}`, input } : { id, name: joint, input }
  }
  if ('write' in tool) {
    const { path, content } = tool.write
    const name = offered.find((one) => one in WRITERS)
    if (name !== undefined) return { id, name, input: WRITERS[name]!(path, content, offered) }
    return callFor({ shell: `cat > '${path}' <<'END'\n${content}\nEND` }, offered, id)
  }
  // A model may also call a tool that the agent didn't offer.
  const name = offered.find((one) => one in SHELLS) ?? 'run_shell_command'
  return { id, name, input: SHELLS[name]!(tool.shell, offered) }
}
