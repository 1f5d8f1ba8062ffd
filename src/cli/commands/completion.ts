import { EXPECTATIONS } from '../../../packages/exitgate/src/checks/expects.ts'
import {
  bashCompletion,
  fishCompletion,
  type KnownCommand,
  type Takes,
  zshCompletion,
} from '../../../packages/exitgate/src/cli/completion-scripts.ts'
import { LAUNCHERS } from '../../agents/launch/index.ts'
import { FORMATS } from '../../agents/reader.ts'
import { SYSTEMS } from '../../config/migrate/index.ts'
import { PRESETS } from '../../core/presets/index.ts'
import { HOOK_CLIENTS } from '../../hooks/index.ts'
import { CONFIDENCES, STATUSES } from '../../inbox/signal.ts'
import { type CommandGroups, type CommandWithHelp, type Row, rowsOf } from '../command.ts'
import { type Options, parse, subcommandOf } from '../parse.ts'

const OPTIONS = {}

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const
const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Completion scripts, made from the tables that parse the arguments. */
export const completionCommand = (groups: CommandGroups): CommandWithHelp => ({
  OPTIONS,
  HELP: {
    usage: ['completion bash|zsh|fish'],
    about: 'Print a script that completes commands, options and their values in your shell.',
    rows: [],
    examples: [
      'source <(exitgate completion bash)   # in ~/.bashrc',
      'source <(exitgate completion zsh)    # in ~/.zshrc, after compinit',
      'exitgate completion fish > ~/.config/fish/completions/exitgate.fish',
    ],
  },
  async run(args, io) {
    const [name] = parse('completion', args, OPTIONS, 1).positionals
    io.stdout.write(SCRIPTS[subcommandOf('completion', name, SHELLS)](await knownCommands(groups)))
    return 0
  },
})

const HOOK_AGENTS = HOOK_CLIENTS.map(({ name }) => name)

/** By the option's name, with the command in front if commands differ. All other options take any text. */
export const VALUES: Readonly<Record<string, Takes>> = {
  preset: Object.keys(PRESETS),
  agent: [...LAUNCHERS.map(({ name }) => name), 'acp'],
  format: FORMATS,
  expects: EXPECTATIONS,
  'report format': ['html', 'markdown', 'json'],
  'init format': ['json', 'yaml'],
  from: SYSTEMS.map(({ name }) => name),
  interrupt: ['graceful', 'immediate'],
  confidence: CONFIDENCES,
  dir: 'folder',
  'state-dir': 'folder',
  config: 'file',
  transcript: 'file',
  prompt: 'file',
  evidence: 'file',
  plan: 'file',
  tasks: 'file',
  sarif: 'file',
  out: 'file',
  inbox: 'file',
}

/** Values of a command's first and second argument. */
export const POSITIONALS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  hook: [['install', 'uninstall', 'status', ...HOOK_AGENTS], HOOK_AGENTS],
  goal: [['start', 'status', 'stop']],
  signal: [STATUSES],
  completion: [SHELLS],
}

async function knownCommands(groups: CommandGroups): Promise<readonly KnownCommand[]> {
  const commands = groups.flatMap(([, group]) => Object.entries(group))
  const known = await Promise.all(
    commands.map(async ([name, { about, load, help }]) => {
      const { OPTIONS } = await load()
      const rows = rowsOf(await help())
      const table: Options = { ...OPTIONS, help: { type: 'boolean' } }
      const options = Object.entries(table).map(([option, { type }]) => ({
        name: option,
        about: option === 'help' ? 'options and examples' : aboutOf(option, rows),
        ...(type === 'string' ? { takes: VALUES[`${name} ${option}`] ?? VALUES[option] ?? ('text' as const) } : {}),
      }))
      return { name, about, options, positionals: POSITIONALS[name] ?? [] }
    }),
  )
  const labs = known.filter(({ name }) => name.startsWith('lab '))
  const others = known.filter((each) => !labs.includes(each))
  return [...others, lab(labs)]
}

/** `lab` with its subcommands as first argument, and the options of all of them. */
function lab(commands: readonly KnownCommand[]): KnownCommand {
  const options = new Map(commands.flatMap((command) => command.options.map((option) => [option.name, option])))
  const names = commands.map(({ name }) => name.slice('lab '.length))
  return { name: 'lab', about: `${names.join(', ')} past runs`, options: [...options.values()], positionals: [names] }
}

function aboutOf(option: string, rows: readonly Row[]): string {
  return rows.find(([names]) => new RegExp(`--${option}(?![\\w-])`).test(names))?.[1] ?? ''
}
