import type { KnownCommand, KnownOption } from './tree.ts'

/** For \`source\`, and as a file _exitgate in the search path of functions. */
export function zshCompletion(commands: readonly KnownCommand[]): string {
  const names = commands.map(({ name, about }) => `    ${quoted(`${name}:${about.replaceAll(':', '\\:')}`)}`)
  const cases = commands.map(({ name, options, words }) => {
    const specs = [
      ...options.map(optionSpec),
      ...words.map((each, at) => quoted(`${at + 1}:word:(${each.join(' ')})`)),
      // Behind -- stands the command of the agent.
      ...(name === 'run' ? [quoted('*::command:_normal')] : []),
    ]
    return `    ${name})\n      _arguments -S \\\n        ${specs.join(' \\\n        ')}\n      ;;`
  })
  return `#compdef exitgate
# Completion of exitgate for zsh. In ~/.zshrc, after compinit: source <(exitgate completion zsh)
_exitgate() {
  local -a commands
  commands=(
${names.join('\n')}
    'help:the help of a command'
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

function optionSpec({ name, about, takes }: KnownOption): string {
  const text = about === '' ? '' : `[${about.replace(/[[\]]/g, '\\$&')}]`
  if (takes === undefined) return quoted(`--${name}${text}`)
  const values = { text: ' ', file: '_files', folder: '_files -/' }
  return quoted(
    `--${name}=${text}:${name}:${typeof takes === 'string' ? values[takes as keyof typeof values] : `(${takes.join(' ')})`}`,
  )
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
