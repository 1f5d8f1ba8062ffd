import { quoted } from '../../../core/src/shell-word.ts'

/** The value of an option: one of a few, a path, or any text. */
export type Takes = 'text' | 'file' | 'folder' | readonly string[]

export interface KnownOption {
  readonly name: string
  readonly about: string
  /** Absent if it takes no value. */
  readonly takes?: Takes
}

export interface KnownCommand {
  readonly name: string
  readonly about: string
  readonly options: readonly KnownOption[]
  readonly positionals: readonly (readonly string[])[]
}

/** Uses nothing newer than bash 3.2, which macOS still ships. */
export function bashCompletion(commands: readonly KnownCommand[]): string {
  const values = new Map<string, string[]>()
  for (const { name, options } of commands)
    for (const { name: option, takes } of options) {
      if (takes === undefined) continue
      const kind = typeof takes === 'string' ? takes : `one of ${takes.join(' ')}`
      values.set(kind, [...(values.get(kind) ?? []), `'${name} --${option}'`])
    }
  const kinds = [...values].map(([kind, places]) => `    ${places.join('|')}) echo '${kind}' ;;`)
  const options = commands.map(
    ({ name, options }) => `    ${name}) echo '${options.map((option) => `--${option.name}`).join(' ')}' ;;`,
  )
  const words = commands.flatMap(({ name, positionals }) =>
    positionals.map((each, at) => `    '${name} ${at + 1}') echo '${each.join(' ')}' ;;`),
  )
  const names = commands.map(({ name }) => name).join(' ')
  return `# exitgate completion for bash. Put this in ~/.bashrc: source <(exitgate completion bash)
_exitgate_takes() {
  case "$1" in
${kinds.join('\n')}
    *) return 1 ;;
  esac
}
_exitgate_options() {
  case "$1" in
${options.join('\n')}
  esac
}
_exitgate_words() {
  case "$1" in
    'help 1') echo '${names}' ;;
${words.join('\n')}
  esac
}
_exitgate() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local takes word place=1 i=2
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=( $(compgen -W '${names} --help --version' -- "$current") )
    return
  fi
  # "--option=value" arrives as three words.
  if [ "$current" = '=' ]; then
    current=''
  elif [ "$previous" = '=' ]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  while [ "$i" -lt "$COMP_CWORD" ]; do
    word=\${COMP_WORDS[i]}
    case "$word" in
      # Everything after it belongs to another program.
      --) return ;;
      -*) if _exitgate_takes "$command $word" > /dev/null; then i=$((i + 1)); [ "\${COMP_WORDS[i]}" = '=' ] && i=$((i + 1)); fi ;;
      *) place=$((place + 1)) ;;
    esac
    i=$((i + 1))
  done
  if takes=$(_exitgate_takes "$command $previous"); then
    case "$takes" in
      'one of '*) COMPREPLY=( $(compgen -W "\${takes#one of }" -- "$current") ) ;;
      folder) compopt -o filenames 2> /dev/null; COMPREPLY=( $(compgen -d -- "$current") ) ;;
      # Without a reply, bash offers files.
    esac
    return
  fi
  case "$current" in
    -*) COMPREPLY=( $(compgen -W "$(_exitgate_options "$command")" -- "$current") ) ;;
    *) COMPREPLY=( $(compgen -W "$(_exitgate_words "$command $place")" -- "$current") ) ;;
  esac
}
complete -o default -F _exitgate exitgate
`
}

/** Works with `source`, and as a file `_exitgate` in `fpath`. */
export function zshCompletion(commands: readonly KnownCommand[]): string {
  const names = commands.map(({ name, about }) => `    ${quoted(`${name}:${about.replaceAll(':', '\\:')}`)}`)
  const cases = commands.map(({ name, options, positionals }) => {
    const specs = [
      ...options.map(zshOption),
      ...positionals.map((each, at) => quoted(`${at + 1}:word:(${each.join(' ')})`)),
      // After -- comes the command of the agent.
      ...(name === 'run' ? [quoted('*::command:_normal')] : []),
    ]
    return `    ${name})\n      _arguments -S \\\n        ${specs.join(' \\\n        ')}\n      ;;`
  })
  return `#compdef exitgate
# exitgate completion for zsh. Put this in ~/.zshrc, after compinit: source <(exitgate completion zsh)
_exitgate() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
    help)
      (( CURRENT == 2 )) && _describe -t commands command commands
      return
      ;;
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_exitgate" ]; then
  _exitgate "$@"
else
  compdef _exitgate exitgate
fi
`
}

function zshOption({ name, about, takes }: KnownOption): string {
  const text = about === '' ? '' : `[${about.replace(/[[\]]/g, '\\$&')}]`
  if (takes === undefined) return quoted(`--${name}${text}`)
  const values = { text: ' ', file: '_files', folder: '_files -/' }
  return quoted(
    `--${name}=${text}:${name}:${typeof takes === 'string' ? values[takes as keyof typeof values] : `(${takes.join(' ')})`}`,
  )
}

export function fishCompletion(commands: readonly KnownCommand[]): string {
  const first = commands.map(
    ({ name, about }) => `${fishComplete('test (count (commandline -opc)) -eq 1')} -a ${name} -d ${fishQuoted(about)}`,
  )
  const rest = commands.flatMap(({ name, options, positionals }) => [
    ...options.map((option) => `${fishComplete(`__exitgate_is ${name}`)} ${fishOption(option)}`),
    ...positionals.map(
      (each, at) => `${fishComplete(`__exitgate_is ${name} ${at + 1}`)} -a ${fishQuoted(each.join(' '))}`,
    ),
  ])
  return `# exitgate completion for fish: exitgate completion fish > ~/.config/fish/completions/exitgate.fish
function __exitgate_is -d 'whether this is the command, with this many arguments'
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]; or return 1
    # Everything after -- belongs to another program.
    contains -- -- $words; and return 1
    set -q argv[2]; or return 0
    test (count (string match -v -- '-*' $words)) -eq (math $argv[2] + 1)
end
complete -c exitgate -f
${first.join('\n')}
${fishComplete('__exitgate_is help 1')} -a ${fishQuoted(commands.map(({ name }) => name).join(' '))}
${rest.join('\n')}
# The command of the agent may be anything.
complete -c exitgate -n 'contains -- -- (commandline -opc)' -F
`
}

const fishComplete = (when: string): string => `complete -c exitgate -n ${fishQuoted(when)}`

function fishOption({ name, about, takes }: KnownOption): string {
  const text = about === '' ? '' : ` -d ${fishQuoted(about)}`
  return `-l ${name}${takes === undefined ? '' : fishValues(takes)}${text}`
}

function fishValues(takes: NonNullable<KnownOption['takes']>): string {
  if (takes === 'text') return ' -x'
  if (takes === 'file') return ' -r -F'
  return takes === 'folder' ? ` -x -a '(__fish_complete_directories)'` : ` -x -a ${fishQuoted(takes.join(' '))}`
}

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`)}'`
