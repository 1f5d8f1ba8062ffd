import type { KnownCommand } from './tree.ts'

/** Without what newer releases of bash brought: the one of macOS is from 2007. */
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
  const words = commands.flatMap(({ name, words }) =>
    words.map((each, at) => `    '${name} ${at + 1}') echo '${each.join(' ')}' ;;`),
  )
  const names = [...commands.map(({ name }) => name), 'help'].join(' ')
  return `# Completion of exitgate for bash. In ~/.bashrc: source <(exitgate completion bash)
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
  # "--option=value" comes as three words.
  if [ "$current" = '=' ]; then
    current=''
  elif [ "$previous" = '=' ]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  while [ "$i" -lt "$COMP_CWORD" ]; do
    word=\${COMP_WORDS[i]}
    case "$word" in
      # Behind it stands another program.
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
      # Without an answer bash offers files.
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
