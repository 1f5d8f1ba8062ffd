import { plain } from './verdict-text.ts'

interface Command {
  readonly command: string
  readonly cwd: string
  readonly why: string
}

export interface FoundHere {
  readonly agents: readonly string[]
  readonly tests: readonly Command[]
  readonly builds: readonly Command[]
  readonly loops: readonly string[]
  readonly systems: readonly string[]
  readonly plan?: string
  readonly prompt?: string
}

/** What is here already, for people. */
export function foundText({ agents, tests, builds, loops, systems, plan, prompt }: FoundHere): string {
  const commands = (found: readonly Command[]): string =>
    found.map(({ command, cwd }) => `${command}${cwd === '' ? '' : ` (in ${cwd})`}`).join(', ')
  const rows: readonly (readonly [string, string])[] = [
    ['agents', agents.join(', ') || 'none on the search path'],
    ['tests', commands(tests) || 'no command was found; name one as commands.test'],
    ['build', commands(builds)],
    ['older loop', [...systems, ...loops].join(', ')],
    ['plan', plan ?? ''],
    ['prompt', prompt ?? ''],
  ]
  const lines = rows.filter(([, text]) => text !== '').map(([name, text]) => `  ${name.padEnd(11)}${plain(text)}`)
  return `Found here:\n${lines.join('\n')}\n`
}

export interface Planned {
  readonly config?: {
    readonly file: string
    readonly text: string
    readonly migration: { readonly noCounterpart: readonly string[] }
  }
  readonly kept?: string
  readonly system?: { readonly name: string }
  readonly hooks: readonly { readonly host: string; readonly file: string }[]
  readonly problems: readonly string[]
}

/** What would be written, for people. */
export function planText({ config, kept, system, hooks, problems }: Planned): string {
  const lines: string[] = []
  if (kept !== undefined) lines.push(`${kept} stays as it is; --force replaces a file of ours.`)
  if (config !== undefined) {
    const from = system === undefined ? '' : `, with the settings of ${system.name}`
    lines.push(
      `${config.file}${from}:`,
      ...config.text
        .trimEnd()
        .split('\n')
        .map((line) => `  ${plain(line)}`),
    )
    lines.push(...config.migration.noCounterpart.map((line) => `  left behind: ${plain(line)}`))
  }
  lines.push(...hooks.map(({ host, file }) => `${plain(file)}: ${host} asks exitgate before it stops`))
  lines.push(...problems.map((problem) => `left alone: ${plain(problem)}`))
  return lines.length === 0 ? '\nThere is nothing to write.\n' : `\nTo be written:\n${lines.join('\n')}\n\n`
}
