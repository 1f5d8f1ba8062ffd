import { LAUNCHERS } from '../../agents/launch/index.ts'
import { FORMATS } from '../../agents/reader.ts'
import { SYSTEMS } from '../../config/migrate/index.ts'
import { PRESETS } from '../../core/presets/index.ts'
import { HOOK_CLIENTS } from '../../hooks/index.ts'
import { CONFIDENCES, STATUSES } from '../../inbox/signal.ts'
import type { Commands, CommandWithHelp, Row } from '../command.ts'
import { bashCompletion, fishCompletion, type KnownCommand, type Takes, zshCompletion } from '../completion-scripts.ts'
import { InputError } from '../errors.ts'
import { type Options, oneOf, parse } from '../parse.ts'

const OPTIONS = {}

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const
const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `exitgate completion SHELL`: a script for the user's shell, made of the tables by which arguments are parsed. */
export const completionCommand = (commands: Commands): CommandWithHelp => ({
  OPTIONS,
  HELP: {
    usage: ['completion bash|zsh|fish'],
    about: 'A script that teaches your shell the commands, their options and the words these take.',
    rows: [],
    examples: [
      'source <(exitgate completion bash)   # in ~/.bashrc',
      'source <(exitgate completion zsh)    # in ~/.zshrc, after compinit',
      'exitgate completion fish > ~/.config/fish/completions/exitgate.fish',
    ],
  },
  async run(args, io) {
    const [name] = parse('completion', args, OPTIONS, 1).positionals
    if (name === undefined) throw new InputError(`exitgate completion needs one of ${SHELLS.join(', ')}`)
    io.stdout.write(SCRIPTS[oneOf('exitgate completion', name, SHELLS)](await knownCommands(commands)))
    return 0
  },
})

const hosts = HOOK_CLIENTS.map(({ name }) => name)

/** By the option's name; where commands mean different things by it, with the command in front. All others take any text. */
export const VALUES: Readonly<Record<string, Takes>> = {
  preset: Object.keys(PRESETS),
  agent: [...LAUNCHERS.map(({ name }) => name), 'acp'],
  format: FORMATS,
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

/** Values of a command's first and second positional. */
export const POSITIONALS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  hook: [['install', 'uninstall', 'status', ...hosts], hosts],
  goal: [['start', 'status', 'stop']],
  signal: [STATUSES],
  completion: [SHELLS],
}

async function knownCommands(commands: Commands): Promise<readonly KnownCommand[]> {
  return Promise.all(
    Object.entries(commands).map(async ([name, { about, load, help }]) => {
      const { OPTIONS } = await load()
      const { rows } = await help()
      const table: Options = { ...OPTIONS, help: { type: 'boolean' } }
      const options = Object.entries(table).map(([option, { type }]) => ({
        name: option,
        about: option === 'help' ? 'options and examples' : aboutOf(option, rows),
        ...(type === 'string' ? { takes: VALUES[`${name} ${option}`] ?? VALUES[option] ?? ('text' as const) } : {}),
      }))
      return { name, about, options, positionals: POSITIONALS[name] ?? [] }
    }),
  )
}

function aboutOf(option: string, rows: readonly Row[]): string {
  return rows.find(([names]) => new RegExp(`--${option}(?![\\w-])`).test(names))?.[1] ?? ''
}
