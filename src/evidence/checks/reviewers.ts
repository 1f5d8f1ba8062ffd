/** What a model's command line printed: its answer, and what that cost. */
export interface ModelAnswer {
  readonly text: string
  readonly spent?: { readonly tokens: number; readonly usd: number }
}

/** A ready-made reviewer: a fresh session of a model, without tools. */
export interface Reviewer {
  readonly name: string
  /** Reads the prompt from standard input. It starts in an empty folder, so that no file of the project instructs it. */
  readonly command: string
  readonly env?: Readonly<Record<string, string>>
  /** Undefined if the output has no answer. */
  read(stdout: string): ModelAnswer | undefined
}

const inEmptyFolder = (command: string): string => `cd "$(mktemp -d)" && ${command}`

const REVIEWERS: readonly Reviewer[] = [
  {
    name: 'claude',
    // Without the third option, the servers of the user's own settings would still add tools.
    command: inEmptyFolder(
      `claude --print --output-format json --tools "" --strict-mcp-config --settings '{"disableAllHooks":true}'`,
    ),
    read(stdout) {
      const { result, total_cost_usd: usd, usage } = objectIn(stdout) ?? {}
      return typeof result === 'string'
        ? { text: result, spent: { usd: numberOf(usd), tokens: sumOf(usage) } }
        : undefined
    },
  },
  {
    name: 'codex',
    command: inEmptyFolder('codex exec --json --sandbox read-only --skip-git-repo-check -'),
    read(stdout) {
      const events = stdout.split('\n').map((line) => objectIn(line) ?? {})
      const messages = events.flatMap(({ item }) =>
        isObject(item) && item.type === 'agent_message' ? [item.text] : [],
      )
      const text = messages.at(-1)
      const tokens = events.reduce((sum, { usage }) => sum + sumOf(usage), 0)
      return typeof text === 'string' ? { text, spent: { usd: 0, tokens } } : undefined
    },
  },
  {
    name: 'gemini',
    command: inEmptyFolder('gemini --output-format json --approval-mode default'),
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    read(stdout) {
      const { response, stats } = objectIn(stdout.slice(Math.max(0, stdout.indexOf('{')))) ?? {}
      const models = isObject(stats) && isObject(stats.models) ? Object.values(stats.models) : []
      const tokens = models.reduce<number>(
        (sum, model) => sum + (isObject(model) && isObject(model.tokens) ? numberOf(model.tokens.total) : 0),
        0,
      )
      return typeof response === 'string' ? { text: response, spent: { usd: 0, tokens } } : undefined
    },
  },
]

/** The reviewers of a setting such as `claude` or `claude, codex`. None if it is a command of the user. */
export function reviewersIn(setting: string): readonly Reviewer[] {
  const names = setting.split(',').map((name) => name.trim())
  const found = names.map((name) => REVIEWERS.find((each) => each.name === name))
  return found.every((each) => each !== undefined) ? found : []
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0

/** Input and output. What was read from a cache is part of the input in some formats and additional in others. */
const sumOf = (usage: unknown): number =>
  isObject(usage)
    ? ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
        .map((name) => numberOf(usage[name]))
        .reduce((sum, tokens) => sum + tokens, 0)
    : 0
