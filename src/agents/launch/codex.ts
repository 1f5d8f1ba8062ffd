import { codexSandboxError, codexSessionUsage } from '../../../packages/exitgate/src/agents/codex-session.ts'
import { type JsonObject, objectIn, parseText } from '../json-value.ts'
import { type Launcher, MCP_SERVER, type McpServer, optionIn, sessionOf } from './launcher.ts'

/** Codex. Its sandbox is read-only unless the user's arguments or configuration change that. */
export const codex: Launcher = {
  name: 'codex',
  programs: ['codex'],
  format: 'codex',
  mcp: true,
  login: {
    folders: ['.codex'],
    readOnly: ['.codex/config.toml', '.codex/hooks.json', '.codex/AGENTS.md'],
    variables: ['CODEX_HOME'],
    shownBy: { files: ['.codex/auth.json'], variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
  },
  reportsCost: false,
  model: {
    inOutput: false,
    options: ['--model', '-m'],
    settings: ['.codex/config.toml', '~/.codex/config.toml'].map((file) => ({ file, read: modelInToml })),
    session: {
      folder: '.codex/sessions',
      isOf: (file, session) => file.endsWith(`-${session}.jsonl`),
      // Every turn starts with a line about its settings.
      read: (text) => objectIn(lastWith(text, 'turn_context').payload).model,
      usage: codexSessionUsage,
      sandboxError: codexSandboxError,
    },
  },
  launch(call) {
    const session = sessionOf(call)
    return {
      args: [
        'exec',
        ...(call.mcp === undefined ? [] : serverOptions(call.mcp)),
        ...call.args,
        '--json',
        ...(session === undefined ? [] : ['resume', session]),
        '-',
      ],
      stdin: call.prompt,
      env: {},
    }
  },
}

/** `-c model="X"` on the command line, then the profile, then the top of the file. */
function modelInToml(text: string, args: readonly string[]): string | undefined {
  const changed = args.flatMap((arg, at) =>
    /^(?:-c|--config)$/.test(args[at - 1] ?? '') ? (/^model\s*=\s*"?([^"]+?)"?\s*$/.exec(arg)?.[1] ?? []) : [],
  )
  const tables = `\n${text}`.split(/\n\s*(?=\[)/)
  const named = optionIn(args, ['--profile', '-p']) ?? valueIn(tables[0] ?? '', 'profile')
  const profile = tables.find((table) =>
    table
      .match(/^\[profiles\.(?:"([^"]*)"|([\w-]+))\]/)
      ?.slice(1)
      .includes(named ?? ''),
  )
  return changed.at(-1) ?? valueIn(profile ?? '', 'model') ?? valueIn(tables[0] ?? '', 'model')
}

const valueIn = (toml: string, key: string): string | undefined =>
  new RegExp(`^${key}\\s*=\\s*(["'])(.*?)\\1`, 'm').exec(toml)?.[2]

function lastWith(lines: string, type: string): JsonObject {
  const found = lines.split('\n').findLast((line) => line.includes(`"type":"${type}"`))
  return (found === undefined ? undefined : parseText(found)) ?? {}
}

/** Values are TOML; JSON strings and lists of strings are valid TOML. */
function serverOptions({ command, args, env }: McpServer): readonly string[] {
  const key = `mcp_servers.${MCP_SERVER}`
  return [
    '-c',
    `${key}.command=${JSON.stringify(command)}`,
    '-c',
    `${key}.args=${JSON.stringify(args)}`,
    '-c',
    `${key}.env_vars=${JSON.stringify(env)}`,
    '-c',
    `${key}.default_tools_approval_mode="approve"`,
  ]
}
